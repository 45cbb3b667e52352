// Lists what a server has and sends it requests with an official TypeScript SDK, which validates structured content itself:
//   node call.mjs SDK VERSION REQUESTS.json TARGET…
// SDK: `sdk` (1.x) or `client` (2.x); TARGET: a URL, or a command line. REQUESTS.json holds [[method, params], …].
// Prints {"tools", "resources", "resourceTemplates", "prompts", "results"}, where a list that the server cannot give, or
// a result that the SDK refuses, is {"refused": message}.
import { readFileSync } from "node:fs";

const [which, version, requestsPath, ...target] = process.argv.slice(2);
const requests = JSON.parse(readFileSync(requestsPath, "utf8"));
const modern = version === "2026-07-28";
const from = which === "client" ? "@modelcontextprotocol/client" : "@modelcontextprotocol/sdk/client";
const { Client } = await import(which === "client" ? from : `${from}/index.js`);
const { StdioClientTransport } = await import(which === "client" ? `${from}/stdio` : `${from}/stdio.js`);
const { StreamableHTTPClientTransport } = await import(which === "client" ? from : `${from}/streamableHttp.js`);

const transport = target[0].startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(target[0]))
  : new StdioClientTransport({ command: target[0], args: target.slice(1), env: process.env, stderr: "ignore" });
if (!modern) {
  const send = transport.send.bind(transport); // asks for the version in place of the SDK's newest
  transport.send = (message, options) => {
    if (message.method === "initialize") message.params.protocolVersion = version;
    return send(message, options);
  };
}
const options = modern ? { versionNegotiation: { mode: { pin: version } } } : {};
const client = new Client({ name: "wire-ts", version: "1" }, options);
await client.connect(transport);

async function list(ask, member, capability) {
  const found = [];
  if (!client.getServerCapabilities()[capability]) return found;
  try {
    for (let cursor; ; ) {
      const page = await ask(cursor ? { cursor } : undefined);
      found.push(...page[member]);
      cursor = page.nextCursor;
      if (!cursor) return found;
    }
  } catch (error) {
    return { refused: String(error.message ?? error) };
  }
}
const listed = {
  tools: await list((page) => client.listTools(page), "tools", "tools"),
  resources: await list((page) => client.listResources(page), "resources", "resources"),
  resourceTemplates: await list((page) => client.listResourceTemplates(page), "resourceTemplates", "resources"),
  prompts: await list((page) => client.listPrompts(page), "prompts", "prompts"),
};
const methods = {
  "tools/call": (params) => client.callTool(params),
  "resources/read": (params) => client.readResource(params),
  "prompts/get": (params) => client.getPrompt(params),
  "completion/complete": (params) => client.complete(params),
};
const results = [];
for (const [method, params] of requests) {
  try {
    results.push(await methods[method](params));
  } catch (error) {
    results.push({ refused: String(error.message ?? error) });
  }
}
const said = JSON.stringify({ ...listed, results });
process.stdout.write(said, () => client.close().finally(() => process.exit(0)));
