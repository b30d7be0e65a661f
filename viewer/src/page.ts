// What a live lab and a replay have in common: the layout, the picture, colours, and the keys of the eye.
import type { Key, KeyGroup } from "./keys";
import { listenForKeys } from "./keys";
import { el } from "./panels/dom";
import { helpDialog } from "./panels/help";
import { neighbourBody } from "./panels/inspector";
import { type Layout, type Panel, makeLayout } from "./panels/layout";
import { Messages } from "./panels/messages";
import { kOverlayTexts } from "./panels/overlays";
import { ThemeSwitch } from "./panels/theme";
import { type Player, neighbourSpeed } from "./player";
import type { Preset } from "./scene3d/camera";
import type { Graphics } from "./scene3d/graphics";
import { kLooks } from "./scene3d/quality";
import { View } from "./scene3d/view";
import { type Mode, type OverlayName, Store, initialState, toggleOverlay } from "./store";
import { World } from "./world";

const kOrbitStep = 0.12; // rad for each press of an arrow
const kZoomStep = 1.15;

export class Page {
  readonly store: Store;
  readonly world = new World();
  readonly layout: Layout;
  readonly messages: Messages;
  readonly view: View;
  onTheme: () => void = () => {};
  private groups: KeyGroup[] = [];
  private help: HTMLDialogElement | null = null;

  constructor(root: HTMLElement, mode: Mode, graphics: Graphics) {
    this.store = new Store(initialState(mode));
    const names: Record<Panel, string> = { left: "Scenes", right: mode === "live" ? "Settings" : "Details", plots: "Plots" };
    this.layout = makeLayout(root, names, mode === "live");
    this.messages = new Messages(this.layout.banners, this.layout.toasts);
    this.view = new View(this.layout.canvasArea, this.store, this.world, graphics);
    this.view.canvas.tabIndex = 0;
    this.view.canvas.setAttribute("role", "application");
    this.view.canvas.setAttribute("aria-label", "The scene in three dimensions. Arrow keys move the eye, question mark lists all keys.");
    this.addViewButtons();
    const theme = el("button", { class: "round" });
    const help = el("button", { class: "round", title: "Keys and mouse (?)", "aria-label": "Keys and mouse", onclick: () => this.showHelp() }, "?");
    this.layout.actions.append(theme, help);
    const themes = new ThemeSwitch(theme, (colours) => {
      this.view.setTheme(colours);
      this.onTheme();
    });
    this.groups.push({
      title: "Page",
      keys: [
        { keys: ["?"], label: "?", what: "this list", press: () => this.showHelp() },
        { keys: ["d"], label: "D", what: "light or dark", press: () => themes.next() },
        { keys: ["g"], label: "G", what: "plots on or off", press: () => this.layout.toggle("plots") },
      ],
    });
    this.store.on(["scene"], ({ scene }) => {
      if (scene === null) return;
      this.view.showScene(scene);
      document.title = `${scene.title || scene.name} · Cairn`;
    });
    const quality = new URLSearchParams(location.search).get("quality");
    if (quality !== null && /^[0-4]$/.test(quality)) {
      this.view.quality.choose(Number(quality));
      this.view.applyLook();
    }
    listenForKeys(() => this.groups, () => this.help?.open ?? false);
  }

  addKeys(title: string, keys: Key[]) {
    this.groups.unshift({ title, keys });
  }

  private addViewButtons() {
    const presets: [Preset, string][] = [["home", "Home"], ["front", "Front"], ["side", "Side"], ["top", "Top"]];
    const quality = el("select", { "aria-label": "Quality of the picture", title: "Quality of the picture" });
    for (const [value, label] of [["auto", "Auto quality"], ["0", "Best"], ["2", "Medium"], [String(kLooks.length - 1), "Fast"]]) quality.append(el("option", { value }, label));
    quality.addEventListener("change", () => {
      this.view.quality.choose(quality.value === "auto" ? "auto" : Number(quality.value));
      this.view.applyLook();
    });
    this.layout.stage.append(el(
      "div", { class: "view-buttons", role: "group", "aria-label": "Where to look from" },
      ...presets.map(([preset, label]) => el("button", { onclick: () => this.view.camera.go(preset) }, label)),
      el("button", { onclick: () => this.view.frameAll(), title: "Everything that can move (A)" }, "All"), quality,
    ));
  }

  private showHelp() {
    this.help ??= helpDialog(this.groups, [
      ["Click", "select a body"],
      ["Drag", this.store.state.mode === "live" ? "on a body: pull it by a spring; elsewhere: orbit" : "orbit"],
      ...(this.store.state.mode === "live" ? [["Wheel", "zoom; while pulling: nearer or farther"] as const] : [["Wheel", "zoom"] as const]),
      ["Right-drag", "pan (or Ctrl and drag, or two fingers)"],
      ["Alt-drag", "orbit, also on a body"],
    ]);
    if (!this.help.open) this.help.showModal();
  }

  addPlayerKeys(player: Player, speed: () => number, hasMaximum: boolean, extra: Key[] = []) {
    const change = (direction: 1 | -1) => player.setSpeed(neighbourSpeed(speed(), direction, hasMaximum));
    this.addKeys("Time", [
      { keys: [" "], label: "Space", what: "play or pause", press: () => player.toggle() },
      { keys: ["."], label: ".", what: "one step", press: () => player.step(1) },
      ...extra,
      { keys: ["r"], label: "R", what: "from the start", press: () => player.restart() },
      { keys: ["["], label: "[", what: "slower", press: () => change(-1) },
      { keys: ["]"], label: "]", what: "faster", press: () => change(1) },
    ]);
  }

  addOverlayKeys() {
    const { mode } = this.store.state;
    const names = (Object.keys(kOverlayTexts) as OverlayName[]).filter((name) => mode === "live" || kOverlayTexts[name].isInReplay);
    this.addKeys("Show", names.map((name) => ({
      keys: [kOverlayTexts[name].key], label: kOverlayTexts[name].key.toUpperCase(), what: kOverlayTexts[name].label.toLowerCase(),
      press: () => this.store.set({ overlays: toggleOverlay(this.store.state.overlays, name) }),
    })));
  }

  follow() {
    const { selected, isFollowing } = this.store.state;
    if (selected !== null) this.store.set({ isFollowing: !isFollowing });
    else this.messages.toast("Select a body first, to follow it.");
  }

  addEyeKeys() {
    const { camera } = this.view;
    const look = (key: string, preset: Preset, what: string): Key => ({ keys: [key], label: key, what, press: () => camera.go(preset) });
    const select = (direction: 1 | -1) =>
      this.store.set({ selected: neighbourBody(this.world.bodies.values(), this.store.state.selected, direction) });
    this.addKeys("Eye", [
      look("1", "front", "from the front"), look("2", "side", "from the side"), look("3", "top", "from above"),
      { keys: ["0", "Home"], label: "0", what: "home", press: () => camera.go("home") },
      { keys: ["a"], label: "A", what: "everything that can move", press: () => this.view.frameAll() },
      { keys: ["ArrowLeft", "ArrowRight"], label: "← →", what: "orbit", press: (event) => camera.orbit(event.key === "ArrowLeft" ? -kOrbitStep : kOrbitStep, 0) },
      { keys: ["ArrowUp", "ArrowDown"], label: "↑ ↓", what: "higher, lower", press: (event) => camera.orbit(0, event.key === "ArrowUp" ? kOrbitStep : -kOrbitStep) },
      { keys: ["+", "="], label: "+", what: "nearer", press: () => camera.zoom(1 / kZoomStep) },
      { keys: ["-"], label: "−", what: "farther", press: () => camera.zoom(kZoomStep) },
    ]);
    this.addKeys("Body", [
      { keys: ["j"], label: "J", what: "select the next body", press: () => select(1) },
      { keys: ["k"], label: "K", what: "select the one before", press: () => select(-1) },
      { keys: ["f"], label: "F", what: "follow it", press: () => this.follow() },
    ]);
  }
}
