// Says what the official TypeScript SDK 1.x makes of tools, as a client of a server in its process:
//   node refuse.mjs TOOLS.json
// TOOLS.json holds [{"tool", "result"}, …]; prints for each null, or the message with which the SDK refuses it.
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

async function use({ tool, result }) {
  const server = new Server({ name: "s", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [tool] }));
  server.setRequestHandler(CallToolRequestSchema, () => ({ content: [], structuredContent: result }));
  const client = new Client({ name: "c", version: "1" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  try {
    await client.listTools();
    if (result !== undefined) await client.callTool({ name: tool.name, arguments: {} });
    return null;
  } catch (error) {
    return String(error.message ?? error);
  } finally {
    await client.close();
  }
}

const messages = [];
for (const entry of JSON.parse(readFileSync(process.argv[2], "utf8"))) messages.push(await use(entry));
process.stdout.write(JSON.stringify(messages));
