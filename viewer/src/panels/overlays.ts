// What can be drawn over the picture, each with a tick and a key, and what its colours mean.
import { type OverlayName, type Store, toggleOverlay } from "../store";
import { el, section } from "./dom";

interface OverlayText {
  label: string;
  key: string;
  legend: string;
  isInReplay?: boolean;
}

export const kOverlayTexts: Record<OverlayName, OverlayText> = {
  contacts: { label: "Contacts", key: "c", legend: "green touching, yellow open, red deeper than 2 mm" },
  impulses: { label: "Impulses", key: "i", legend: "arrows: impulse on the second body, scaled to the scene" },
  cones: { label: "Friction cones", key: "o", legend: "blue sticks, orange slides" },
  centers: { label: "Centres of mass", key: "m", legend: "", isInReplay: true },
  axes: { label: "Axes", key: "x", legend: "x red, y green, z blue", isInReplay: true },
  islands: { label: "Islands", key: "n", legend: "a colour for each; grey: none" },
  layers: { label: "Stack layers", key: "l", legend: "from the ground (violet) up (yellow)" },
  sleeping: { label: "Sleeping", key: "z", legend: "blue sleeps, magenta is quarantined" },
  boxes: { label: "Bounding boxes", key: "v", legend: "" },
};

export function overlaysPanel(parent: HTMLElement, store: Store) {
  const rows = (Object.keys(kOverlayTexts) as OverlayName[])
    .filter((name) => store.state.mode === "live" || kOverlayTexts[name].isInReplay)
    .map((name) => {
      const { label, key, legend } = kOverlayTexts[name];
      const tick = el("input", { type: "checkbox", "data-overlay": name });
      tick.addEventListener("change", () => store.set({ overlays: toggleOverlay(store.state.overlays, name) }));
      const hint = el("small", { class: "hint" }, legend);
      store.on(["overlays"], (state) => {
        tick.checked = state.overlays[name];
        hint.hidden = !state.overlays[name] || legend === "";
      });
      return el("div", { class: "overlay" }, el("label", { class: "tick" }, tick, label, el("kbd", {}, key.toUpperCase())), hint);
    });
  parent.append(section("Show", true, ...rows));
}
