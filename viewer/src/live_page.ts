// The page of a live lab.
import { liveAddress } from "./connection";
import { Live } from "./live";
import { Page } from "./page";
import { el } from "./panels/dom";
import { inspectorPanel } from "./panels/inspector";
import { LivePlots } from "./panels/live_plots";
import { methodPanel } from "./panels/method";
import { overlaysPanel } from "./panels/overlays";
import { scenesPanel } from "./panels/scenes";
import { parametersPanel, toolsPanel } from "./panels/tools";
import { transportPanel } from "./panels/transport";
import { Pointer } from "./pointer";
import type { Graphics } from "./scene3d/graphics";
import { holdsControls, wayBack } from "./store";
import { Tools } from "./tools";

// The title of the scene, the state of the connection, and who holds the controls.
function statusBar(page: Page, live: Live) {
  const title = el("strong", { class: "title" });
  const link = el("span", { class: "link", role: "status" });
  const who = el("span", { class: "who" });
  const controls = el("button", { class: "controls" });
  controls.addEventListener("click", () => (holdsControls(page.store.state) ? live.yieldControls() : live.takeControls()));
  page.layout.status.append(el("span", { class: "brand" }, "Cairn"), title, link, who, controls);
  page.store.on(["scene", "link", "lab", "hello", "slow"], (state) => {
    title.textContent = state.scene === null ? "" : state.scene.title || state.scene.name;
    link.dataset.link = state.link;
    const open = state.slow === null ? "live" : "waits for a step";
    link.textContent = { connecting: "connecting …", open, lost: "no connection", none: "" }[state.link];
    const { lab, hello } = state;
    controls.hidden = lab === null || hello === null;
    if (lab === null || hello === null) {
      who.textContent = "";
      return;
    }
    const others = lab.clients > 1 ? ` · ${lab.clients} pages` : "";
    const mine = holdsControls(state);
    who.textContent = (mine ? "You hold the controls" : lab.controls === null ? "Nobody holds the controls" : `Page ${lab.controls} holds the controls`) + others;
    controls.textContent = mine ? "Give away" : "Take the controls";
    controls.hidden = mine && lab.clients < 2;
  });
}

function refusalBanner(page: Page, live: Live) {
  page.store.on(["refusal", "lastGood", "settings"], ({ refusal, lastGood, settings }) => {
    if (refusal === null) {
      page.messages.clear("refusal");
      return;
    }
    const isWayBack = lastGood !== null && settings !== null && (lastGood.stepper !== settings.stepper || lastGood.solver !== settings.solver);
    page.messages.banner("refusal", "warning", refusal, !isWayBack ? [] : [{
      label: `Back to ${lastGood.stepper}${lastGood.stepper === settings.stepper ? ` with ${lastGood.solver}` : ""}`,
      press() {
        if (lastGood.stepper !== settings.stepper) live.set("settings.stepper", lastGood.stepper);
        if (lastGood.solver !== settings.solver) live.set("settings.solver.name", lastGood.solver);
        page.store.set({ refusal: null });
        live.request({ do: "play" });
      },
    }]);
  });
}

// A step that takes long can be left: what is asked for while it is done ends it, and nothing of it has happened.
function slowBanner(page: Page, live: Live) {
  page.store.on(["slow", "settings", "lastGood"], (state) => {
    const { slow, settings } = state;
    if (slow === null) {
      page.messages.clear("slow");
      return;
    }
    const back = wayBack(state);
    const buttons = [{ label: "Pause", press: () => void live.request({ do: "pause" }) }, { label: "Restart", press: () => live.restart() }];
    if (back !== null && settings !== null) {
      buttons.unshift({
        label: `Back to ${back.stepper}${back.stepper === settings.stepper ? ` with ${back.solver}` : ""}`,
        press() {
          if (back.stepper !== settings.stepper) live.set("settings.stepper", back.stepper);
          if (back.solver !== settings.solver) live.set("settings.solver.name", back.solver);
        },
      });
    }
    page.messages.banner("slow", "warning", `This step takes long: ${Math.floor(slow)} s so far.`, buttons);
  });
}

// Says when the next attempt is, and lets the person not wait for it.
function connectionBanner(page: Page, reconnect: () => void): (waitMs: number) => void {
  let timer = 0;
  page.store.on(["link"], ({ link }) => {
    if (link !== "open") return;
    clearInterval(timer);
    page.messages.clear("link");
  });
  return (waitMs) => {
    clearInterval(timer);
    const due = performance.now() + waitMs;
    const show = () => {
      const left = Math.max(0, Math.ceil((due - performance.now()) / 1000));
      const when = left > 0 ? `Trying again in ${left} s.` : "Trying again …";
      page.messages.banner("link", "error", `The connection to the server is lost. ${when}`, [{ label: "Try now", press: reconnect }]);
    };
    show();
    timer = window.setInterval(show, 500);
  };
}

export function startLive(root: HTMLElement, graphics: Graphics) {
  const page = new Page(root, "live", graphics);
  const { store, world, view, layout, messages } = page;
  const plots = new LivePlots(layout.plots);
  page.onTheme = () => plots.redraw();
  let lost: (waitMs: number) => void = () => {};
  let revert: () => void = () => {};
  const live = new Live(liveAddress(location), store, world, {
    sceneLoaded: () => plots.clear(),
    frameArrived: () => view.frameArrived(),
    statsArrived: () => store.state.stats !== null && plots.add(store.state.stats),
    say: (text, kind) => messages.toast(text, kind),
    lost: (wait) => lost(wait),
    controlsAreTaken: () =>
      messages.toast(`Page ${store.state.lab?.controls} holds the controls.`, "problem", { label: "Take them", press: () => live.takeControls() }),
    refused: () => revert(),
  });
  lost = connectionBanner(page, () => live.reconnect());
  view.beforeFrame = (now) => live.beforeFrame(now);
  const pointer = new Pointer(layout.canvasArea, view, world, store, live);
  const tools = new Tools(store, world, live, pointer);

  statusBar(page, live);
  refusalBanner(page, live);
  slowBanner(page, live);
  const scenes = scenesPanel(layout.left, store, live);
  revert = methodPanel(layout.right, store, live).revert;
  overlaysPanel(layout.right, store);
  inspectorPanel(layout.right, store, world, tools, () => page.follow());
  toolsPanel(layout.right, store, tools);
  parametersPanel(layout.right, store, live);
  transportPanel(layout.transport, store, live);

  page.addOverlayKeys();
  page.addEyeKeys();
  page.addKeys("Do", [
    { keys: ["t"], label: "T", what: "throw a ball at the mouse", press: () => tools.throwBall() },
    { keys: ["b"], label: "B", what: "drop a shape at the mouse", press: () => tools.dropShape() },
    { keys: ["p"], label: "P", what: "pin or unpin the body", press: () => tools.togglePin() },
    { keys: ["u"], label: "U", what: "lift the body while held", press: () => tools.startLift(), release: () => tools.endLift() },
    { keys: ["Delete", "Backspace"], label: "Del", what: "delete the body", press: () => tools.deleteBody() },
    { keys: ["/"], label: "/", what: "search scenes", press: () => (layout.left.hidden && layout.toggle("left"), scenes.focus()) },
    {
      keys: ["Escape"], label: "Esc", what: "let go, deselect",
      press: () => {
        pointer.release();
        (document.activeElement as HTMLElement | null)?.blur();
        store.set({ selected: null, isFollowing: false });
      },
    },
  ]);
  page.addPlayerKeys(live, () => store.state.lab?.speed ?? 1, true);
  // For tests, and for the curious with an open console.
  Object.assign(window, { cairn: { store, world, view, live, tools } });
}
