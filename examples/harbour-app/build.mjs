// Bundles the app into one page, dist/berth-map.html: a host shows it in a frame that loads nothing else.
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const options = { bundle: true, format: "esm", minify: true, write: false, target: "es2022" };
const { outputFiles } = await build({ entryPoints: ["src/app.ts"], ...options });
const script = outputFiles[0].text.replaceAll("</script", "<\\/script");
mkdirSync("dist", { recursive: true });
const page = readFileSync("index.html", "utf8").replace("</script>", () => `${script}</script>`);
writeFileSync("dist/berth-map.html", page);
