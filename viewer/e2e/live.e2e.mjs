// One lab, played with from beginning to end.
import { faults } from "./browser.mjs";
import { check, kCommand, near, openLab, positionOf, screenOf, shot, slotOf, stateOf, until } from "./harness.mjs";
import { startLab } from "./lab.mjs";

let lab, page;

async function setField(label, value) {
  const input = page.getByLabel(label, { exact: true });
  await input.fill(String(value));
  await input.press("Enter");
  await input.blur();
}

const pause = async () => {
  if (await stateOf(page, (state) => state.lab.playing)) await page.keyboard.press("Space");
  await until(page, () => !window.cairn.store.state.lab.playing);
};
const play = async () => {
  if (!(await stateOf(page, (state) => state.lab.playing))) await page.keyboard.press("Space");
  await until(page, () => window.cairn.store.state.lab.playing);
};
const steps = () => page.evaluate(() => Math.max(window.cairn.store.state.stats?.step ?? 0, window.cairn.store.state.lab.step));

async function load(name) {
  await page.keyboard.press("/");
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await until(page, (wanted) => window.cairn.store.state.scene?.name === wanted, name);
  await page.getByLabel("Search scenes").fill("");
  await page.keyboard.press("Escape");
  await until(page, () => window.cairn.world.frame !== null && window.cairn.world.frame.epoch === window.cairn.store.state.scene.epoch);
}

export const tests = {
  "the page loads, shows the scene, and takes the controls": async ({ browser }) => {
    lab = await startLab(kCommand, "stack_hit", { options: ["--paused"] });
    page = await openLab(browser, lab.address);
    await until(page, () => window.cairn.store.state.lab.controls === window.cairn.store.state.hello.client);
    await until(page, () => window.cairn.world.frame !== null);
    check((await page.locator(".card").count()) > 20, "the gallery has more than 20 scenes");
    check((await page.title()).includes("Cairn"), "the title names the program");
    check((await page.locator(".link").textContent()) === "live", "the bar says that the page is live");
    check((await page.locator(".who").textContent()).includes("You hold"), "the bar says who holds the controls");
    const asked = await page.evaluate(() => [...document.querySelectorAll(".card img")].map((image) => image.hasAttribute("src")));
    check(asked[0] && !asked[asked.length - 1], "pictures are asked for when they come into sight");
    // The server draws them when it has time to spare, which a busy machine may not have: nothing depends on them.
    await page.waitForFunction(() => document.querySelector(".card img").naturalWidth > 0, undefined, { timeout: 8000 }).catch(() => {});
    await shot(page, "live-light-1280");
  },

  "space plays and pauses, a full stop makes one step, R restarts": async () => {
    await play();
    await until(page, () => (window.cairn.store.state.stats?.step ?? 0) > 10);
    await pause();
    const before = await steps();
    await page.keyboard.press(".");
    await until(page, (wanted) => Math.max(window.cairn.store.state.stats?.step ?? 0, window.cairn.store.state.lab.step) === wanted, before + 1);
    await page.keyboard.press("r");
    await until(page, () => window.cairn.store.state.lab.step === 0 && (window.cairn.store.state.stats?.step ?? 0) === 0);
    check((await page.locator(".time").textContent()).startsWith("0.00 s"), "the time is zero again");
  },

  "the record button writes a log, and says which": async () => {
    await page.getByLabel("Record", { exact: true }).click();
    await until(page, () => window.cairn.store.state.lab.recording?.endsWith(".cairnlog") ?? false);
    await page.getByLabel("End the recording").click();
    await until(page, () => window.cairn.store.state.lab.recording === null);
    await page.locator("canvas").first().focus();
  },

  "the speed goes up and down by keys, up to the maximum": async () => {
    for (const wanted of [2, 4, 0, 4]) {
      await page.keyboard.press(wanted === 4 && (await stateOf(page, (state) => state.lab.speed)) === 0 ? "[" : "]");
      await until(page, (speed) => window.cairn.store.state.lab.speed === speed, wanted);
    }
    await page.getByLabel("Speed", { exact: true }).first().selectOption("1");
    await until(page, () => window.cairn.store.state.lab.speed === 1);
    await page.locator("canvas").first().focus();
  },

  "a click selects, a drag pulls the body along, letting go ends it": async () => {
    const names = await page.evaluate(() => [...window.cairn.world.bodies.values()].filter((body) => body.kind === "dynamic").map((body) => body.name));
    await play();
    await page.waitForFunction(() => window.cairn.store.state.stats?.step > 3);
    const slot = await slotOf(page, names[2]);
    const start = await screenOf(page, slot);
    await page.mouse.click(start.x, start.y);
    await until(page, () => window.cairn.store.state.selected !== null);
    const chosen = await stateOf(page, (state) => state.selected);
    check((await page.locator(".facts").textContent()).includes("kg"), "the inspector tells the mass");
    const from = await positionOf(page, chosen);
    const at = await screenOf(page, chosen);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x - 60, at.y - 40, { steps: 4 });
    await page.mouse.move(at.x - 180, at.y - 90, { steps: 8 });
    // The body follows the mouse to the left and up, as far as the picture says.
    await until(page, ([body, x, z]) => {
      const { positions } = window.cairn.world.poses.target;
      return positions[3 * body + 2] > z + 0.2 && Math.hypot(positions[3 * body] - x[0], positions[3 * body + 1] - x[1]) > 0.3;
    }, [chosen, from, from[2]]);
    await shot(page, "live-drag");
    await page.mouse.up();
    const high = await positionOf(page, chosen);
    await until(page, ([body, z]) => window.cairn.world.poses.target.positions[3 * body + 2] < z - 0.1, [chosen, high[2]]);
  },

  "overlays are switched by keys, and the frames bring what they need": async () => {
    await load("stack25");
    await play();
    for (const key of ["c", "i", "o"]) await page.keyboard.press(key);
    await until(page, () => (window.cairn.world.frame?.contacts?.length ?? 0) >= 11 * 100);
    await page.keyboard.press("v");
    await until(page, () => window.cairn.world.frame?.boxes != null);
    check(await page.locator('[data-overlay="impulses"]').isChecked(), "the tick shows what the key did");
    await shot(page, "live-overlays");
    for (const key of ["c", "i", "o", "v", "l"]) await page.keyboard.press(key);
    await until(page, () => window.cairn.world.frame?.layers?.some((layer) => layer > 3) && window.cairn.world.frame.contacts === null);
    await shot(page, "live-layers");
    await page.keyboard.press("n");
    await until(page, () => window.cairn.store.state.overlays.islands && !window.cairn.store.state.overlays.layers);
    await page.keyboard.press("n");
    for (const key of ["m", "x"]) await page.keyboard.press(key);
    await shot(page, "live-axes");
    for (const key of ["m", "x"]) await page.keyboard.press(key);
  },

  "stepper, solver, step, friction and gravity change live": async () => {
    await load("stack25");
    check(!(await page.getByLabel("Solver", { exact: true }).isVisible()), "soft takes no solver");
    await page.getByLabel("Stepper", { exact: true }).selectOption("velocity");
    await until(page, () => window.cairn.store.state.settings.stepper === "velocity");
    await page.getByLabel("Solver", { exact: true }).selectOption("pgs");
    await until(page, () => window.cairn.store.state.settings.solver === "pgs");
    await setField("Iterations", 77);
    await until(page, () => window.cairn.store.state.settings.iterations === 77);
    await until(page, () => window.cairn.store.state.stats?.residual > 0 && window.cairn.store.state.lastGood?.solver === "pgs");
    await setField("Step", 120);
    await until(page, () => Math.abs(window.cairn.store.state.settings.dt - 1 / 120) < 1e-9);
    check((await page.getByText("8.3333 ms").count()) === 1, "the step is shown in ms too");
    await page.getByLabel("Gravity as on").selectOption("1.62");
    await until(page, () => Math.abs(window.cairn.store.state.settings.gravity[2] + 1.62) < 1e-9);
    await page.getByLabel("Friction", { exact: true }).fill("0.9");
    await page.getByLabel("Friction", { exact: true }).dispatchEvent("change");
    await until(page, () => window.cairn.store.state.settings.friction === 0.9);
    await page.getByLabel("Friction the same on all surfaces").uncheck();
    await until(page, () => window.cairn.store.state.settings.friction === null);
    await shot(page, "live-method");
  },

  "a wrong value is answered by the server, and the field shows the truth again": async () => {
    await setField("Facets", 7);
    await until(page, () => document.querySelector(".toast.problem") !== null);
    await until(page, () => [...document.querySelectorAll("label")].find((label) => label.textContent === "Facets").control.value === "8");
    check((await stateOf(page, (state) => state.settings.facets)) === 8, "nothing changed");
  },

  "a method that does not take the scene says so, and the way back works": async () => {
    await play();
    await page.getByLabel("Stepper", { exact: true }).selectOption("gauss");
    await until(page, () => /friction/.test(document.querySelector('[data-banner="refusal"]')?.textContent ?? ""));
    await shot(page, "live-refusal");
    await page.getByRole("button", { name: /Back to velocity/ }).click();
    await until(page, () => window.cairn.store.state.settings.stepper === "velocity" && window.cairn.store.state.lab.playing);
    const step = await steps();
    await until(page, (before) => window.cairn.store.state.stats?.step > before + 2, step);
    check((await page.locator('[data-banner="refusal"]').count()) === 0, "the banner is gone");
  },

  "a step that takes long says so, and can be left": async () => {
    const settings = await stateOf(page, (state) => state.settings);
    await page.getByLabel("Stepper", { exact: true }).selectOption("soft");
    await play();
    await until(page, () => window.cairn.store.state.lastGood?.stepper === "soft");
    // To 1e-15 by a method that never gets there.
    await page.evaluate(() => {
      const { live } = window.cairn;
      live.set("settings.solver.name", "jacobi");
      live.set("settings.solver.tolerance", "1e-15");
      live.set("settings.solver.iterations", "1000000000");
    });
    await until(page, () => window.cairn.store.state.settings.iterations === 1000000000);
    await page.getByLabel("Stepper", { exact: true }).selectOption("velocity");
    await until(page, () => /This step takes long: \d+ s/.test(document.querySelector('[data-banner="slow"]')?.textContent ?? ""));
    check((await page.locator(".link").textContent()) === "waits for a step", "the bar does not say that the page is live");
    await shot(page, "live-slow");
    await page.getByRole("button", { name: /Back to soft/ }).click();
    await until(page, () => window.cairn.store.state.settings.stepper === "soft" && window.cairn.store.state.slow === null);
    const step = await steps();
    await until(page, (before) => window.cairn.store.state.stats?.step > before + 2, step);
    check((await page.locator('[data-banner="slow"]').count()) === 0, "the banner is gone");
    await page.evaluate((old) => {
      const { live } = window.cairn;
      live.set("settings.solver.name", old.solver);
      live.set("settings.solver.tolerance", String(old.tolerance));
      live.set("settings.solver.iterations", String(old.iterations));
      live.set("settings.stepper", old.stepper);
    }, settings);
    await until(page, (old) => window.cairn.store.state.settings.stepper === old, settings.stepper);
  },

  "search finds a scene, and it loads with its parameters": async () => {
    await page.getByLabel("Search scenes").fill("no such thing");
    check((await page.locator(".card").count()) === 0, "nothing is found");
    await page.getByLabel("Search scenes").fill("");
    await page.keyboard.press("Escape");
    await load("tower");
    check((await stateOf(page, (state) => state.scene.bodies.length)) > 800, "the tower has 800 bricks");
    await play();
    await until(page, () => window.cairn.store.state.stats?.step > 5);
    await pause();
    await shot(page, "live-tower");
    await page.locator("summary", { hasText: /^Scene$/ }).click();
    await page.getByRole("spinbutton", { name: "layers" }).fill("5");
    await page.getByRole("button", { name: "Build it so" }).click();
    await until(page, () => window.cairn.store.state.scene.bodies.length < 200);
    await page.locator("summary", { hasText: /^Scene$/ }).click();
  },

  "bodies are thrown, dropped, pinned and deleted": async () => {
    await pause();
    const count = () => page.evaluate(() => window.cairn.world.bodies.size);
    const before = await count();
    await page.mouse.move(600, 300);
    await page.keyboard.press("t");
    await page.keyboard.press("b");
    await page.keyboard.press(".");
    await until(page, (wanted) => window.cairn.world.bodies.size === wanted, before + 2);
    await page.keyboard.press("j");
    await until(page, () => window.cairn.store.state.selected !== null);
    const slot = await stateOf(page, (state) => state.selected);
    await page.keyboard.press("p");
    await page.keyboard.press(".");
    await until(page, (body) => window.cairn.store.state.lab.pinned.includes(body), slot);
    await shot(page, "live-thrown");
    await page.keyboard.press("p");
    await page.keyboard.press(".");
    await until(page, () => window.cairn.store.state.lab.pinned.length === 0);
    const left = (await count()) - 1;
    await page.keyboard.press("Delete");
    await until(page, ([wanted, body]) => window.cairn.world.bodies.size === wanted && !window.cairn.world.bodies.has(body), [left, slot]);
    check((await stateOf(page, (state) => state.selected)) === null, "what is gone is not selected");
  },

  "a body is found by name, lifted and followed by keys alone": async () => {
    await load("stack25");
    await page.getByLabel("Select a body by its name").fill("box.24");
    await page.keyboard.press("Enter");
    await until(page, () => window.cairn.world.bodies.get(window.cairn.store.state.selected)?.name === "box.24");
    await page.locator("canvas").first().focus();
    await page.keyboard.press("f");
    const slot = await stateOf(page, (state) => state.selected);
    await play();
    const [, , height] = await positionOf(page, slot);
    await page.keyboard.down("u");
    await until(page, ([body, z]) => window.cairn.world.poses.target.positions[3 * body + 2] > z + 0.1, [slot, height]);
    await page.keyboard.up("u");
    const [target, shown] = await page.evaluate((body) => [window.cairn.view.camera.target.toArray(), window.cairn.world.centerOf(body)], slot);
    near(Math.hypot(...target.map((value, k) => value - shown[k])), 0, 1.5, "the eye looks at the body that it follows, m");
    await page.keyboard.press("Escape");
    await page.keyboard.press("0");
  },

  "a second page sees the same world without the controls, and can take them": async ({ browser }) => {
    const second = await openLab(browser, lab.address, { dark: true, width: 1920, height: 1080 });
    await until(second, () => window.cairn.store.state.lab.clients === 2 && window.cairn.store.state.lab.controls !== window.cairn.store.state.hello.client);
    await second.keyboard.press("r");
    await until(second, () => /holds the controls/.test(document.querySelector(".toast")?.textContent ?? ""));
    await until(second, (scene) => window.cairn.store.state.scene.name === scene, await stateOf(page, (state) => state.scene.name));
    await shot(second, "second-dark-1920");
    await page.getByRole("button", { name: "Give away" }).click();
    await second.getByRole("button", { name: "Take the controls" }).click();
    await until(second, () => window.cairn.store.state.lab.controls === window.cairn.store.state.hello.client);
    await until(page, () => window.cairn.store.state.lab.controls !== window.cairn.store.state.hello.client);
    await second.keyboard.press("r");
    await until(page, () => (window.cairn.store.state.stats?.step ?? 0) < 50);
    check(faults(second).length === 0, `the second page complained: ${faults(second)}`);
    await second.context().close();
    await until(page, () => window.cairn.store.state.lab.controls === null);
    await page.getByRole("button", { name: "Take the controls" }).click();
    await until(page, () => window.cairn.store.state.lab.controls === window.cairn.store.state.hello.client);
  },

  "a question mark lists the keys; everything has a name and can be reached": async () => {
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    const text = await dialog.textContent();
    for (const word of ["play or pause", "one step", "throw a ball", "friction cones", "follow it"]) check(text.includes(word), `the help names: ${word}`);
    await shot(page, "live-help");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select")]
      .filter((item) => !(item.textContent.trim() || item.getAttribute("aria-label") || item.labels?.length) || item.tabIndex < 0)
      .map((item) => item.outerHTML.slice(0, 100)));
    check(nameless.length === 0, `without a name or out of reach: ${nameless}`);
    // Tab leads from the search field through the page, and one sees where.
    await page.getByLabel("Search scenes").focus();
    const reached = new Set();
    for (let k = 0; k < 12; ++k) {
      await page.keyboard.press("Tab");
      reached.add(await page.evaluate(() => {
        const item = document.activeElement;
        return getComputedStyle(item).outlineStyle === "none" ? "unseen" : (item.textContent || item.getAttribute("aria-label") || item.id).slice(0, 40);
      }));
    }
    check(!reached.has("unseen"), "the focus is always seen");
    check(reached.size > 8, `the tab key leads on: ${[...reached]}`);
    await page.keyboard.press("Escape");
  },

  "light, dark and narrow": async () => {
    await load("shapes");
    await play();
    await until(page, () => window.cairn.store.state.stats?.step > 40);
    await page.keyboard.press("d");
    await page.keyboard.press("d");
    check((await page.evaluate(() => document.documentElement.dataset.theme)) === "dark", "D leads to dark");
    await shot(page, "live-dark-1280");
    await page.setViewportSize({ width: 480, height: 800 });
    await until(page, () => document.querySelector(".right").hidden);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    check(overflow <= 0, `nothing sticks out of a narrow window: ${overflow} pixels`);
    await shot(page, "live-narrow");
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await shot(page, "live-narrow-settings");
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.keyboard.press("d");
    check(faults(page).length === 0, `the page complained: ${faults(page)}`);
  },

  "a lost connection is told, and comes back by itself": async () => {
    await lab.kill();
    await until(page, () => /lost/.test(document.querySelector('[data-banner="link"]')?.textContent ?? ""));
    await shot(page, "live-lost");
    page.complaints.length = 0;
    lab = await startLab(kCommand, "dominoes", { port: lab.port });
    await until(page, () => window.cairn.store.state.link === "open" && window.cairn.store.state.scene.name === "dominoes");
    await until(page, () => window.cairn.store.state.lab?.controls === window.cairn.store.state.hello?.client);
    check((await page.locator('[data-banner="link"]').count()) === 0, "the banner is gone");
    const step = await steps();
    await until(page, (before) => window.cairn.store.state.stats?.step > before, step);
    check(faults(page, [/WebSocket connection to/]).length === 0, `the page complained: ${faults(page, [/WebSocket connection to/])}`);
  },

  "the server ends cleanly while the page is open": async () => {
    const code = await lab.stop();
    check(code === 0 || code === 130, `it ended with ${code}`);
    await page.context().close();
  },
};
