// A host of MCP Apps in a browser: node host.mjs BROWSER SCREENSHOT PYTHON SERVER.py
// It calls berth_map, shows the tool's view with the result, and clicks on a pier. Prints what the view shows.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { build } from "esbuild";
import puppeteer from "puppeteer-core";

const HOST = `
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
window.show = async (html, args, result) => {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.width = frame.height = 420;
  document.body.append(frame);
  const bridge = new AppBridge(null, { name: "test", version: "1" }, { serverTools: {} });
  bridge.oncalltool = (params) => window.callTool(params);
  const ready = new Promise((resolve) => { bridge.oninitialized = resolve; });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
  await ready;
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(result);
};`;
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"; // what hosts allow a view
const [browserPath, screenshot, python, server] = process.argv.slice(2);
const client = new Client({ name: "host", version: "1" });
await client.connect(new StdioClientTransport({ command: python, args: [server] }));
const { tools } = await client.listTools();
const uri = tools.find((tool) => tool.name === "berth_map")._meta.ui.resourceUri;
const [view] = (await client.readResource({ uri })).contents;
const result = await client.callTool({ name: "berth_map", arguments: {} });

const options = { bundle: true, write: false, format: "iife", stdin: { contents: HOST, resolveDir: "." } };
const script = (await build(options)).outputFiles[0].text;
const browser = await puppeteer.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage();
const report = { mimeType: view.mimeType, calls: [], messages: [], requests: [] };
page.on("console", (message) => ["error", "warn"].includes(message.type()) && report.messages.push(message.text()));
page.on("pageerror", (error) => report.messages.push(String(error)));
page.on("request", (request) => report.requests.push(request.url()));
await page.exposeFunction("callTool", (params) => {
  report.calls.push({ name: params.name, arguments: params.arguments });
  return client.callTool(params);
});
await page.addScriptTag({ content: script });
const html = view.text.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
await page.evaluate((...given) => window.show(...given), html, {}, result);
const frame = page.frames().find((one) => one !== page.mainFrame());
const read = (selector) => frame.$$eval(selector, (elements) => elements.map((element) => element.textContent));
const waitFor = (text) => frame.waitForFunction((text) => document.querySelector("[role=status]").textContent === text, {}, text);
await waitFor("3 berths");
report.berths = await read("svg text");
report.piers = await read("button");
await page.screenshot({ path: screenshot });
await (await frame.$("button")).click();
await waitFor("2 berths");
report.afterClick = await read("svg text");
await browser.close();
await client.close();
console.log(JSON.stringify(report));
