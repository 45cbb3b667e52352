// Calls a tool with `fetch` in a page of a browser: node fetch.mjs BROWSER PAGE MCP-URL PARAMS
// Prints {"protocol", "result", "chosen", "refused"}: `chosen` is the result of a call whose header has a rule.
import puppeteer from "puppeteer-core";

const [browserPath, address, url, params] = process.argv.slice(2);
const browser = await puppeteer.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage();
const refused = [];
page.on("requestfailed", (request) => refused.push(`${request.url()} ${request.failure()?.errorText}`));
await page.goto(address);
const report = await page.evaluate(
  async (url, params) => {
    const session = {};
    async function send(message, more = {}) {
      const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...session, ...more };
      const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
      if (answer.headers.get("mcp-session-id")) session["Mcp-Session-Id"] = answer.headers.get("mcp-session-id");
      const text = await answer.text();
      if (!message.id) return null;
      const line = text.split(/\r?\n/).find((line) => line.startsWith("data: {"));
      return JSON.parse(line ? line.slice(6) : text).result;
    }
    const client = { capabilities: {}, clientInfo: { name: "page", version: "1" } };
    const begun = await send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", ...client } });
    session["MCP-Protocol-Version"] = begun.protocolVersion;
    await send({ method: "notifications/initialized" });
    const result = await send({ id: 2, method: "tools/call", params });
    const chosen = await send({ id: 3, method: "tools/call", params }, { "mcpgen-mock": '{"error": "by a header"}' });
    await (await fetch(url, { method: "DELETE", headers: session })).text();
    return { protocol: begun.protocolVersion, result, chosen };
  },
  url,
  JSON.parse(params),
);
await browser.close();
console.log(JSON.stringify({ ...report, refused: refused.filter((one) => one.startsWith(url)) }));
