// Play, pause, step, restart, speed and time of a live lab.
import { formatNumber, formatTime } from "../format";
import type { Live } from "../live";
import { kSpeeds, speedName } from "../player";
import type { Store } from "../store";
import { el, icon } from "./dom";

export function speedSelect(speeds: readonly number[], change: (speed: number) => void): HTMLSelectElement {
  const select = el("select", { "aria-label": "Speed", title: "Speed: times real time ( [ and ] )" });
  for (const speed of speeds) select.append(el("option", { value: speed }, speedName(speed)));
  select.addEventListener("change", () => change(Number(select.value)));
  return select;
}

// Shows a speed that is not among the choices, too: another page may have asked for it.
export function showSpeed(select: HTMLSelectElement, speed: number) {
  if (![...select.options].some((option) => Number(option.value) === speed)) select.append(el("option", { value: speed }, speedName(speed)));
  select.value = String(speed);
}

export function playButton(press: () => void): { button: HTMLButtonElement; show(isPlaying: boolean): void } {
  const button = el("button", { class: "primary icon-button", onclick: press });
  let shown: boolean | null = null;
  return {
    button,
    show(isPlaying) {
      if (isPlaying === shown) return;
      shown = isPlaying;
      const label = isPlaying ? "Pause" : "Play";
      button.replaceChildren(icon(isPlaying ? "pause" : "play"));
      button.setAttribute("aria-label", label);
      button.title = `${label} (space)`;
    },
  };
}

// Records what is done from the beginning of the scene, for `cairn replay`.
function recordButton(live: Live): { button: HTMLButtonElement; show(file: string | null): void } {
  let shown: string | null | undefined;
  const button = el("button", { class: "icon-button", onclick: () => live.record(shown === null) });
  return {
    button,
    show(file) {
      if (file === shown) return;
      shown = file;
      const label = file === null ? "Record" : "End the recording";
      button.replaceChildren(icon(file === null ? "record" : "recording"));
      button.setAttribute("aria-label", label);
      button.setAttribute("aria-pressed", String(file !== null));
      button.title = file === null ? "Record: the scene starts over, and everything you do is written down for cairn replay" : `${label}: ${file}`;
    },
  };
}

export function transportPanel(parent: HTMLElement, store: Store, live: Live) {
  const play = playButton(() => live.toggle());
  const step = el("button", { class: "icon-button", "aria-label": "Single step", title: "Single step ( . )", onclick: () => live.step(1) }, icon("step"));
  const restart = el("button", { class: "icon-button", "aria-label": "Restart", title: "Restart (R)", onclick: () => live.restart() }, icon("restart"));
  const record = recordButton(live);
  const speed = speedSelect([...kSpeeds, 0], (value) => live.setSpeed(value));
  const time = el("output", { class: "time", "aria-label": "Time of the world" });
  const rates = el("div", { class: "rates" });
  parent.append(play.button, step, restart, record.button, el("label", { class: "inline" }, "Speed", speed), time, rates);

  store.on(["lab", "stats", "scene", "slow"], ({ lab, stats, scene, slow }) => {
    play.show(lab?.playing ?? false);
    record.show(lab?.recording ?? null);
    if (lab !== null) showSpeed(speed, lab.speed);
    // Statistics come more often than states; the later of the two is right, unless the scene began anew.
    const current = stats !== null && stats.epoch === scene?.epoch ? stats : null;
    const isStatsNewer = current !== null && (lab === null || lab.playing || current.step >= lab.step);
    const shown = isStatsNewer ? current : lab;
    time.textContent = shown === null ? "" : `${formatTime(shown.time)} · step ${shown.step.toLocaleString("en")}`;
    const parts: [string, string][] = current === null ? [] : [
      slow === null ? [`${formatNumber(current.real_time, 2)}×`, "real time"] : [`${Math.floor(slow)} s`, "this step takes long"],
      [`${formatNumber(current.ms, 3)} ms`, "per step"],
      [current.contacts.toLocaleString("en"), current.contacts === 1 ? "contact" : "contacts"],
      [current.islands.toLocaleString("en"), current.islands === 1 ? "island" : "islands"],
      [`${current.awake.toLocaleString("en")} / ${current.bodies.toLocaleString("en")}`, "awake"],
    ];
    rates.replaceChildren(...parts.map(([value, what]) => el("span", { class: "rate" }, el("b", {}, value), ` ${what}`)));
  });
}
