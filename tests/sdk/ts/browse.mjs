// Open a reference in a browser and report what happens: node browse.mjs BROWSER PAGE.html FOLDER
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [browserPath, file, folder] = process.argv.slice(2);
const address = pathToFileURL(file).href;
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await puppeteer.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
const report = { messages: [], requests: [], axe: {}, pdf: 0 };

async function open({ hash = "", scheme = "light", width = 1280, height = 900, script = true } = {}) {
  const page = await browser.newPage();
  page.on("console", (message) => report.messages.push(message.text()));
  page.on("pageerror", (error) => report.messages.push(String(error)));
  page.on("request", (request) => request.url().split("#")[0] !== address && report.requests.push(request.url()));
  await page.setViewport({ width, height });
  await page.setJavaScriptEnabled(script);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }, { name: "prefers-reduced-motion", value: "reduce" }]);
  await page.goto(address + hash);
  return page;
}
const shown = (page) => page.$$eval("#contents a", (links) => links.filter((link) => link.offsetParent).map((link) => link.textContent));
const focused = (page) => page.evaluate(() => document.activeElement.id || document.activeElement.getAttribute("href"));

// search and keyboard
let page = await open();
report.all = await shown(page);
await page.keyboard.press("/");
report.afterSlash = await focused(page);
await page.keyboard.type("napkin colour");
report.found = await shown(page);
report.status = await page.$eval("#found", (element) => element.textContent);
await page.keyboard.press("ArrowDown");
report.afterDown = await focused(page);
await page.keyboard.press("ArrowUp");
report.afterUp = await focused(page);
await page.keyboard.press("Enter");
report.hashAfterEnter = await page.evaluate(() => location.hash);
report.focusAfterEnter = await focused(page);
await page.keyboard.press("/");
await page.keyboard.press("Escape");
report.afterEscape = await shown(page);
await page.keyboard.type("nothing has these words");
report.none = await shown(page);
report.noneStatus = await page.$eval("#found", (element) => element.textContent);
await page.close();

// the skip link is first, and everything that Tab reaches can be seen
page = await open();
await page.keyboard.press("Tab");
report.firstTab = await focused(page);
report.unseen = await page.evaluate(async () => {
  const unseen = [];
  for (const element of document.querySelectorAll("a, button, input, summary, [tabindex='0']")) {
    if (!element.checkVisibility()) continue;
    element.focus();
    await new Promise(requestAnimationFrame);
    const { width, height } = element.getBoundingClientRect();
    if (document.activeElement !== element || !width || !height) unseen.push(element.outerHTML);
  }
  return unseen;
});
await page.close();

// folding
page = await open();
const count = (selector) => page.$$eval(selector, (elements) => elements.length);
report.foldedAtFirst = await count("main details:not([open])");
await page.click("main summary");
report.openAfterClick = await count("main details[open]");
await page.focus("main summary");
await page.keyboard.press("Enter");
report.openAfterEnter = await count("main details[open]");
await page.click("#fold");
report.foldedAfterUnfold = await count("main details:not([open])");
await page.click("#fold");
report.openAfterFold = await count("main details[open]");

// printing unfolds everything, and folds it again
await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
report.foldedInPrint = await count("main details:not([open])");
await page.evaluate(() => dispatchEvent(new Event("afterprint")));
report.openAfterPrint = await count("main details[open]");
report.pdf = (await page.pdf({ path: `${folder}/page.pdf`, format: "A4" })).length;
await page.emulateMediaType("print");
report.barInPrint = await page.$eval(".top", (element) => getComputedStyle(element).display);
await page.close();

// links into folded types: each target is unfolded and in view
page = await open();
const targets = await page.$$eval("details [id], details", (elements) => elements.map((element) => element.id));
await page.close();
report.targets = targets.length;
report.hidden = [];
for (const target of targets) {
  page = await open({ hash: `#${target}` });
  const isSeen = await page.evaluate((id) => {
    const element = document.getElementById(id), { top, bottom } = element.getBoundingClientRect();
    const isOpen = element.matches("details") ? element.open : Boolean(element.closest("details").open);
    return isOpen && bottom > 52 && top < innerHeight;
  }, target);
  if (!isSeen) report.hidden.push(target);
  await page.close();
}
page = await open();
await page.$$eval("main .members a[href]:not(.self)", (links) => links[0].click());
await page.waitForFunction(() => document.querySelector("details:target"));
report.openAfterLink = await page.$eval("details:target", (element) => element.open);
await page.close();

// every link inside the page leads somewhere
page = await open();
report.dangling = await page.$$eval("a[href^='#']", (links) =>
  links.map((link) => link.hash.slice(1)).filter((id) => !document.getElementById(decodeURIComponent(id))));

// accessibility, in light and dark, wide and narrow, folded and unfolded
await page.close();
for (const [scheme, width] of [["light", 1280], ["dark", 1280], ["light", 390], ["dark", 390]]) {
  page = await open({ scheme, width });
  await page.click("#fold");
  if (width < 500) await page.click("#menu");
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
  report.axe[`${scheme} ${width}`] = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3).join(" ")}`);
  await page.screenshot({ path: `${folder}/${scheme}-${width}.png` });
  await page.close();
}

// a phone: nothing is wider than the screen, and the list opens and closes
page = await open({ width: 390, height: 844 });
report.overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
report.sidebarClosed = await page.$eval("#sidebar", (element) => getComputedStyle(element).visibility);
await page.click("#menu");
report.sidebarOpen = await page.$eval("#sidebar", (element) => getComputedStyle(element).visibility);
await page.keyboard.press("Escape");
report.sidebarAfterEscape = await page.$eval("#sidebar", (element) => getComputedStyle(element).visibility);
await page.close();

// without scripts: no search, but everything is there
page = await open({ script: false });
report.withoutScript = await page.$$eval("#search-box, #menu, #fold", (parts) => parts.every((part) => !part.checkVisibility()));
await page.close();

await browser.close();
console.log(JSON.stringify(report));
