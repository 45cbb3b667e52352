// The view of the tool berth_map: it draws the berths of the call, and calls the tool again for one pier.
import { App } from "@modelcontextprotocol/ext-apps";
import type { BerthMapResult, Tools } from "./harbour";

const app = new App({ name: "berth-map", version: "1.0.0" });

/** Calls a tool of the server, and returns its `structuredContent`. */
async function callTool<K extends keyof Tools>(name: K, args: Tools[K]["arguments"]): Promise<Tools[K]["result"]> {
  const result = await app.callServerTool({ name, arguments: args });
  if (result.isError) throw new Error(`${name} failed`);
  return result.structuredContent as Tools[K]["result"];
}

function find<T extends Element>(selector: string): T {
  return document.querySelector<T>(selector)!;
}

function say(text: string): void {
  find<HTMLElement>("[role=status]").textContent = text;
}

function draw(berths: BerthMapResult): void {
  const entries = Object.entries(berths);
  const lats = entries.map(([, position]) => position.lat);
  const lons = entries.map(([, position]) => position.lon);
  const scale = (value: number, all: number[]) =>
    (100 * (value - Math.min(...all))) / (Math.max(...all) - Math.min(...all) || 1);
  const svg = find<SVGElement>("svg");
  svg.replaceChildren();
  for (const [code, { lat, lon, accuracy_m }] of entries) {
    const mark = { cx: scale(lon, lons), cy: 100 - scale(lat, lats), r: accuracy_m === undefined ? 2 : 3 };
    add(svg, "circle", mark);
    add(svg, "text", { x: mark.cx + 4, y: mark.cy + 1 }).textContent = code;
  }
  say(`${entries.length} berths`);
}

function add(parent: Element, name: string, attributes: Record<string, number>): Element {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return parent.appendChild(element);
}

function offerPiers(berths: BerthMapResult): void {
  const piers = [...new Set(Object.keys(berths).map((code) => code.slice(0, 1)))].sort();
  find("nav").replaceChildren(
    ...piers.map((pier) => {
      const button = document.createElement("button");
      button.textContent = `Pier ${pier}`;
      button.onclick = () => callTool("berth_map", { piers: [pier] }).then(draw, (error) => say(String(error)));
      return button;
    }),
  );
}

app.addEventListener("toolresult", (result) => {
  if (result.isError) return say("The berths are not known.");
  const berths = result.structuredContent as Tools["berth_map"]["result"];
  offerPiers(berths);
  draw(berths);
});

await app.connect();
