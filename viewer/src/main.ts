// The page of the lab: live if it was served by `cairn view`, a replay if it has a motion inside.
import "./style.css";
import { startLive } from "./live_page";
import { el } from "./panels/dom";
import { readReplay } from "./replay";
import { startReplay } from "./replay_page";
import { probeGraphics } from "./scene3d/graphics";

function fail(root: HTMLElement, text: string) {
  root.replaceChildren(el("div", { class: "fatal", role: "alert" }, el("h1", {}, "Cairn"), el("p", {}, text)));
}

async function start(root: HTMLElement) {
  const graphics = probeGraphics();
  if (graphics === null) {
    fail(root, "This browser offers no WebGL 2, which this page draws with. Switch on hardware acceleration, or try another browser.");
    return;
  }
  try {
    const replay = await readReplay(document);
    if (replay !== null) startReplay(root, graphics, replay);
    else if (location.protocol === "file:") fail(root, "This file has no motion in it. Start the lab with: cairn view");
    else startLive(root, graphics);
  } catch (error) {
    console.error(error);
    fail(root, `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

void start(document.getElementById("app")!);
