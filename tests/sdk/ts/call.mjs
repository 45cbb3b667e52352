// Lists a server's tools and calls them with an official TypeScript SDK, which validates structured content itself:
//   node call.mjs SDK VERSION CALLS.json TARGET…
// SDK: `sdk` (1.x) or `client` (2.x); TARGET: a URL, or a command line. CALLS.json holds [[name, arguments], …].
// Prints {"version", "tools", "results"}, where a result that the SDK refuses is {"refused": message}.
import { readFileSync } from "node:fs";

const [which, version, callsPath, ...target] = process.argv.slice(2);
const calls = JSON.parse(readFileSync(callsPath, "utf8"));
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

const tools = [];
for (let cursor; ; ) {
  const page = await client.listTools(cursor ? { cursor } : undefined);
  tools.push(...page.tools);
  cursor = page.nextCursor;
  if (!cursor) break;
}
const results = [];
for (const [name, args] of calls) {
  try {
    results.push(await client.callTool({ name, arguments: args }));
  } catch (error) {
    results.push({ refused: String(error.message ?? error) });
  }
}
const said = JSON.stringify({ tools, results });
process.stdout.write(said, () => client.close().finally(() => process.exit(0)));
