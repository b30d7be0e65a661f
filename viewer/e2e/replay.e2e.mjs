// A replay file, opened from disk.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { faults, openPage } from "./browser.mjs";
import { check, kPage, near, openReplay, shot, until } from "./harness.mjs";
import { boxPosition, kBallAppears, replayParts, writeReplay } from "./replay_file.mjs";

const folder = mkdtempSync(join(tmpdir(), "cairn-replay-"));
const file = join(folder, "replay.html");
let page;

const seek = (time) => page.evaluate((to) => window.cairn.replay.seek(to), time);
const shownAt = (slot) => page.evaluate((wanted) => window.cairn.world.centerOf(wanted), slot);
const settled = () => until(page, () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true)))));

export const tests = {
  "a replay opens from disk, asks for nothing else, and plays": async ({ browser }) => {
    writeReplay(kPage, file);
    page = await openReplay(browser, file);
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await until(page, () => window.cairn.replay.time > 0.2);
    check(asked.length === 0, `it asked for ${asked}`);
    check((await page.locator(".report").first().textContent()).includes("200 µm"), "the report is there, with units");
    check((await page.locator(".plot canvas").count()) === 5, "five plots");
    await page.keyboard.press("Space");
    await until(page, () => !window.cairn.replay.isPlaying);
  },

  "bodies are where the motion says, and appear when it says": async () => {
    for (const time of [0, 0.5, 1.25, 3]) {
      await seek(time);
      await settled();
      const [found, expected] = [await shownAt(4), boxPosition(3, time)];
      // 0.1 mm of resolution, and the sagitta of 1/30 rad on a radius of 3 m: 0.4 mm.
      for (let k = 0; k < 3; ++k) near(found[k], expected[k], 6e-4, `box.3 at ${time} s, coordinate ${k}`);
      const isHidden = await page.evaluate(() => window.cairn.world.hidden[13]);
      check(isHidden === (time < kBallAppears / 30 ? 1 : 0), `the ball at ${time} s`);
    }
    await seek(2);
    await settled();
    await shot(page, "replay-light-1280");
  },

  "the slider, keys and plots move the time": async () => {
    await seek(1);
    await page.getByLabel("Time of the replay").focus();
    await page.keyboard.press("ArrowRight");
    near(await page.evaluate(() => window.cairn.replay.time), 1 + 1 / 30, 1e-4, "one frame on, s");
    await page.keyboard.press("Home");
    near(await page.evaluate(() => window.cairn.replay.time), 0, 1e-6, "the start, s");
    await page.getByLabel("Time of the replay").blur();
    for (let k = 0; k < 3; ++k) await page.keyboard.press(".");
    await page.keyboard.press(",");
    near(await page.evaluate(() => window.cairn.replay.time), 2 / 30, 1e-4, "two frames on, s");
    const box = await page.locator(".plot .u-over").first().boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    near(await page.evaluate(() => window.cairn.replay.time), 1.5, 0.1, "half way in the plot, s");
  },

  "it loops when told to, and stops at the end otherwise": async () => {
    await seek(2.9);
    await page.keyboard.press("Space");
    await until(page, () => !window.cairn.replay.isPlaying && window.cairn.replay.time === window.cairn.replay.end);
    await page.getByRole("button", { name: "Play in a loop" }).click();
    await seek(2.95);
    await page.keyboard.press("Space");
    await until(page, () => window.cairn.replay.isPlaying && window.cairn.replay.time < 2);
    await page.keyboard.press("Space");
    check(faults(page).length === 0, `the page complained: ${faults(page)}`);
    await page.context().close();
  },

  "dark, large and narrow": async ({ browser }) => {
    page = await openReplay(browser, file, { dark: true, width: 1920, height: 1080, reducedMotion: "reduce" });
    check(!(await page.evaluate(() => window.cairn.replay.isPlaying)), "nothing moves by itself where motion is unwanted");
    await seek(2.2);
    await settled();
    await shot(page, "replay-dark-1920");
    await page.setViewportSize({ width: 480, height: 800 });
    await until(page, () => document.querySelector(".right").hidden);
    await shot(page, "replay-narrow");
    await page.context().close();
  },

  "a damaged file is told, not shown": async ({ browser }) => {
    const { data, motion } = replayParts();
    const cases = [
      [{ data, motion: motion.slice(0, motion.length / 2) }, /unpacked/],
      [{ data: { ...data, scene: { ...data.scene, radius: -1 } }, motion }, /radius/],
    ];
    for (const [parts, expected] of cases) {
      const broken = join(folder, "broken.html");
      writeReplay(kPage, broken, parts);
      const other = await openPage(browser, `file://${broken}`);
      await other.locator(".fatal").waitFor();
      check(expected.test(await other.locator(".fatal").textContent()), `it says ${expected}`);
      await other.context().close();
    }
    const empty = join(folder, "empty.html");
    writeFileSync(empty, (await import("node:fs")).readFileSync(kPage));
    const other = await openPage(browser, `file://${empty}`);
    await other.locator(".fatal").waitFor();
    check((await other.locator(".fatal").textContent()).includes("cairn view"), "a page without a motion says what to do");
    await other.context().close();
    rmSync(folder, { recursive: true });
  },
};
