// Where things are: a bar on top, panels at the sides, the picture between them, plots and transport below.
import { el } from "./dom";

export interface Layout {
  header: HTMLElement;
  left: HTMLElement;
  right: HTMLElement;
  stage: HTMLElement;
  canvasArea: HTMLElement;
  banners: HTMLElement;
  toasts: HTMLElement;
  plots: HTMLElement;
  transport: HTMLElement;
  actions: HTMLElement; // buttons at the end of the top bar
  status: HTMLElement; // text in the middle of it
  toggle(panel: Panel): void;
}

export type Panel = "left" | "right" | "plots";

const kNarrow = 860; // pixels: side panels lie over the picture, one at a time

export function makeLayout(root: HTMLElement, names: Record<Panel, string>, hasLeft: boolean): Layout {
  const status = el("div", { class: "status" });
  const actions = el("div", { class: "actions" });
  const header = el("header", { class: "bar" }, status, actions);
  const left = el("nav", { class: "side left", "aria-label": names.left, id: "panel-left" });
  const right = el("aside", { class: "side right", "aria-label": names.right, id: "panel-right" });
  const banners = el("div", { class: "banners" });
  const toasts = el("div", { class: "toasts", "aria-live": "polite", role: "status" });
  const canvasArea = el("div", { class: "canvas-area" });
  const stage = el("main", { class: "stage" }, canvasArea, banners, toasts);
  const plots = el("section", { class: "plots", "aria-label": names.plots, id: "panel-plots" });
  const transport = el("footer", { class: "transport", role: "toolbar", "aria-label": "Time" });
  const middle = el("div", { class: "middle" }, hasLeft && left, stage, right);
  root.append(header, middle, plots, transport);

  const isNarrow = () => window.innerWidth < kNarrow;
  const panels = { left, right, plots };
  const buttons = {} as Record<Panel, HTMLButtonElement>;
  const show = (panel: Panel, isShown: boolean) => {
    panels[panel].hidden = !isShown;
    buttons[panel]?.setAttribute("aria-pressed", String(isShown));
  };
  const toggle = (panel: Panel) => {
    const isShown = panels[panel].hidden;
    if (isShown && isNarrow() && panel !== "plots") show(panel === "left" ? "right" : "left", false);
    show(panel, isShown);
  };
  for (const panel of ["left", "right", "plots"] as const) {
    if (panel === "left" && !hasLeft) continue;
    buttons[panel] = el("button", { class: "toggle", "aria-pressed": "true", "aria-controls": `panel-${panel}`, onclick: () => toggle(panel) }, names[panel]);
    actions.append(buttons[panel]);
  }
  let wasNarrow = false;
  const adapt = () => {
    if (isNarrow() === wasNarrow) return;
    wasNarrow = isNarrow();
    for (const panel of ["left", "right", "plots"] as const) show(panel, !wasNarrow);
  };
  adapt();
  window.addEventListener("resize", adapt);
  return { header, left, right, stage, canvasArea, banners, toasts, plots, transport, actions, status, toggle };
}
