// The page of a replay.
import { Page } from "./page";
import { el } from "./panels/dom";
import { inspectorPanel } from "./panels/inspector";
import { overlaysPanel } from "./panels/overlays";
import { replayPlots, replayTransport, reportPanel, settingsPanel } from "./panels/replay_panels";
import { Pointer } from "./pointer";
import { Replay, type ReplayData } from "./replay";
import type { Graphics } from "./scene3d/graphics";

export function startReplay(root: HTMLElement, graphics: Graphics, data: ReplayData) {
  const page = new Page(root, "replay", graphics);
  const { store, world, view, layout } = page;
  world.load(data.scene);
  store.set({ scene: data.scene, settings: data.scene.settings, bodiesVersion: 1 });
  // What shows the time hears of it once for each picture, however often it changes.
  let isStale = true;
  const replay = new Replay(data.motion, world, () => (isStale = true));
  const plots = replayPlots(layout.plots, replay, data.series);
  page.onTheme = () => plots.redraw();
  const transport = replayTransport(layout.transport, replay);
  view.beforeFrame = (now) => {
    if (replay.beforeFrame(now)) view.place();
    if (!isStale) return;
    isStale = false;
    transport.show();
    plots.redraw();
  };
  new Pointer(layout.canvasArea, view, world, store, null);
  layout.status.append(
    el("span", { class: "brand" }, "Cairn"), el("strong", { class: "title" }, data.scene.title || data.scene.name),
    el("span", { class: "link", "data-link": "none" }, "replay"),
  );
  reportPanel(layout.right, data.report);
  inspectorPanel(layout.right, store, world, null, () => page.follow());
  overlaysPanel(layout.right, store);
  settingsPanel(layout.right, data.scene.settings, data.scene.description);

  page.addOverlayKeys();
  page.addEyeKeys();
  page.addKeys("Do", [
    { keys: ["Escape"], label: "Esc", what: "deselect", press: () => store.set({ selected: null, isFollowing: false }) },
  ]);
  page.addPlayerKeys(replay, () => replay.speed, false, [
    { keys: [","], label: ",", what: "one frame back", press: () => replay.step(-1) },
    { keys: ["l"], label: "L", what: "loop", press: () => ((replay.isLooping = !replay.isLooping), transport.show()) },
  ]);
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) replay.toggle();
  Object.assign(window, { cairn: { store, world, view, replay } });
}
