// A browser without a screen, whose WebGL is drawn by the processor: works on any machine, and slowly.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const kPrograms = [process.env.CAIRN_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export async function openBrowser() {
  const executablePath = kPrograms.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("no Chromium found (Debian: apt-get install chromium; or name one in CAIRN_CHROMIUM)");
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
      // Only WebGL goes through the software graphics driver; the rest of the page is drawn the plain way, which is faster.
      "--disable-gpu-compositing", "--disable-gpu-rasterization", "--disable-accelerated-2d-canvas",
      "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-sync", "--no-first-run",
      "--disable-features=Translate,MediaRouter,OptimizationHints", "--mute-audio", "--hide-scrollbars",
    ],
  });
}

// A page that remembers what it complained about.
export async function openPage(browser, address, { width = 1280, height = 720, dark = false, touch = false, reducedMotion = "no-preference" } = {}) {
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme: dark ? "dark" : "light", hasTouch: touch, reducedMotion, offline: false,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") page.complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => page.complaints.push(`exception: ${error.stack ?? error.message}`));
  await page.goto(address, { waitUntil: "domcontentloaded", timeout: 60_000 });
  return page;
}

// What software WebGL says about itself, and lost connections where a test causes them, are no faults of the page.
export function faults(page, allowed = []) {
  const known = [/GPU stall due to ReadPixels/, /swiftshader/i, /GroupMarkerNotSet/, ...allowed];
  return page.complaints.filter((text) => !known.some((pattern) => pattern.test(text)));
}
