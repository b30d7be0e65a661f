// What every test needs: the browser, the built page, pictures, and conditions to wait for.
import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openPage } from "./browser.mjs";

export const kCommand = process.env.CAIRN_COMMAND;
export const kPage = process.env.CAIRN_PAGE;
export const kShots = resolve(process.env.CAIRN_SHOTS ?? "../build/shots");
mkdirSync(kShots, { recursive: true });

// The coarsest look, unless a picture is to be looked at: software draws it many times faster.
export async function openLab(browser, address, options = {}) {
  const page = await openPage(browser, `${address}?quality=4`, options);
  await until(page, () => window.cairn?.store.state.lab != null && window.cairn.view.drawnFrames > 1);
  return page;
}

export async function openReplay(browser, file, options = {}) {
  const page = await openPage(browser, `file://${file}?quality=4`, options);
  await until(page, () => window.cairn?.replay !== undefined && window.cairn.view.drawnFrames > 1);
  return page;
}

// Waits for a condition inside the page; says which one if it never comes true.
export async function until(page, condition, argument, timeout = 60_000) {
  try {
    await page.waitForFunction(condition, argument, { timeout, polling: 50 });
  } catch (error) {
    const text = await page.evaluate(() => document.querySelector(".banners")?.textContent + document.querySelector(".toasts")?.textContent).catch(() => "");
    throw new Error(`never true: ${condition} ${argument === undefined ? "" : JSON.stringify(argument)} ${text} (${String(error).split("\n")[0]})`);
  }
}

export function check(isTrue, what) {
  if (!isTrue) throw new Error(what);
}

export function near(found, expected, tolerance, what) {
  if (!(Math.abs(found - expected) <= tolerance)) throw new Error(`${what}: ${found} instead of ${expected} ± ${tolerance}`);
}

// A picture in the better look, then back to the fast one.
export async function shot(page, name, quality = 1) {
  const drawn = await page.evaluate((level) => {
    const { view } = window.cairn;
    view.quality.choose(level);
    view.applyLook();
    return view.drawnFrames;
  }, quality);
  await until(page, (before) => window.cairn.view.drawnFrames >= before + 2 || (window.cairn.view.refresh(), false), drawn);
  await page.screenshot({ path: join(kShots, `${name}.png`) });
  await page.evaluate(() => {
    const { view } = window.cairn;
    view.quality.choose(4);
    view.applyLook();
  });
}

// Pixels of the window where a point of the scene is drawn.
export function screenOf(page, slot) {
  return page.evaluate((wanted) => {
    const { view, world } = window.cairn;
    const times = (m, [x, y, z, w]) => [0, 1, 2, 3].map((k) => m[k] * x + m[4 + k] * y + m[8 + k] * z + m[12 + k] * w);
    const { eye } = view.camera;
    const [x, y, , w] = times(eye.projectionMatrix.elements, times(eye.matrixWorldInverse.elements, [...world.centerOf(wanted), 1]));
    const bounds = view.canvas.getBoundingClientRect();
    return { x: bounds.left + ((x / w + 1) / 2) * bounds.width, y: bounds.top + ((1 - y / w) / 2) * bounds.height };
  }, slot);
}

export const slotOf = (page, name) =>
  page.evaluate((wanted) => [...window.cairn.world.bodies.values()].find((body) => body.name === wanted)?.slot ?? null, name);

export const positionOf = (page, slot) => page.evaluate((wanted) => [...window.cairn.world.poses.target.positions.slice(3 * wanted, 3 * wanted + 3)], slot);

export const stateOf = (page, read) => page.evaluate(`(${read})(window.cairn.store.state)`);

// The page that was built, checked before any test: one file, with a place for data.
export function checkPageFile() {
  const html = readFileSync(kPage, "utf8");
  check(html.split("<!--cairn-data-->").length === 2, "the page must hold its marker once");
  check(!/(src|href)="(?!data:)/.test(html.slice(0, html.indexOf("<style>"))), "the page must not load other files");
  return html.length;
}
