// What a replay has instead of the lab's panels: a time slider, plots with a cursor, the report, the settings as they were.
import { formatNumber, formatStep, formatTime, plainName } from "../format";
import { kSpeeds } from "../player";
import { type Settings, kPhaseNames } from "../protocol";
import type { Replay } from "../replay";
import { el, icon, section } from "./dom";
import { Plots } from "./plots";
import { reportRows } from "./report";
import { forLogarithm } from "./series";
import { playButton, showSpeed, speedSelect } from "./transport";

export function replayTransport(parent: HTMLElement, replay: Replay): { show(): void } {
  const play = playButton(() => replay.toggle());
  const button = (label: string, key: string, name: "stepBack" | "step" | "restart" | "loop", press: () => void) =>
    el("button", { class: "icon-button", "aria-label": label, title: `${label} (${key})`, onclick: press }, icon(name));
  const loop = button("Play in a loop", "L", "loop", () => {
    replay.isLooping = !replay.isLooping;
    show();
  });
  const slider = el("input", {
    type: "range", class: "timeline", min: replay.start, max: replay.end, step: "any", value: replay.time, "aria-label": "Time of the replay",
  });
  slider.addEventListener("input", () => replay.seek(slider.valueAsNumber));
  slider.addEventListener("keydown", (event) => {
    const count = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (count === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    replay.step(count);
  });
  const speed = speedSelect(kSpeeds, (value) => replay.setSpeed(value));
  const time = el("output", { class: "time" });
  parent.append(
    play.button, button("Frame back", ",", "stepBack", () => replay.step(-1)), button("Frame forward", ".", "step", () => replay.step(1)),
    button("From the start", "R", "restart", () => replay.restart()), slider, time, el("label", { class: "inline" }, "Speed", speed), loop,
  );
  const show = () => {
    play.show(replay.isPlaying);
    slider.value = String(replay.time);
    slider.setAttribute("aria-valuetext", formatTime(replay.time));
    time.textContent = `${formatTime(replay.time)} / ${formatTime(replay.end)}`;
    showSpeed(speed, replay.speed);
    loop.setAttribute("aria-pressed", String(replay.isLooping));
  };
  show();
  return { show };
}

type Column = (number | null)[];

function column(value: unknown, length: number): Column {
  const given = Array.isArray(value) ? value : [];
  return Array.from({ length }, (_unused, k) => (typeof given[k] === "number" && Number.isFinite(given[k]) ? given[k] : null));
}

export function replayPlots(parent: HTMLElement, replay: Replay, series: Record<string, unknown>): Plots {
  const plots = new Plots(parent, () => replay.time, (time) => replay.seek(time));
  const times = Array.isArray(series.time) ? column(series.time, series.time.length) : [];
  const of = (name: string) => column(series[name], times.length);
  const phases = (typeof series.phases === "object" && series.phases !== null ? series.phases : {}) as Record<string, unknown>;
  const kinetic = of("kinetic");
  const potential = of("potential");
  const total = kinetic.map((value, k) => (value === null || potential[k] === null ? null : value + (potential[k] as number)));
  plots.show(times, [
    [kinetic, potential, total], [of("penetration").map((value) => (value === null ? null : 1e3 * value))], [of("residual").map(forLogarithm)],
    [of("iterations")], kPhaseNames.map((name) => column(phases[name], times.length)),
  ]);
  return plots;
}

function factTable(rows: readonly (readonly [string, string])[]): HTMLElement {
  const body = rows.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, value)));
  return el("table", { class: "report" }, el("tbody", {}, ...body));
}

export function reportPanel(parent: HTMLElement, report: unknown) {
  const rows = reportRows(report);
  if (rows.length > 0) parent.append(section("Report", true, factTable(rows)));
}

export function settingsPanel(parent: HTMLElement, settings: Settings, description: string) {
  const rows: [string, string][] = [["stepper", settings.stepper]];
  if (settings.takesSolver) {
    rows.push(["solver", settings.solver], ["friction law", settings.friction_law], ["tolerance", formatNumber(settings.tolerance)]);
    rows.push(["iterations", String(settings.iterations)]);
  } else {
    rows.push(["substeps", String(settings.substeps)]);
  }
  rows.push(["step", formatStep(settings.dt)], ["gravity", `${settings.gravity.map((value) => formatNumber(value)).join(", ")} m/s²`]);
  rows.push(["sleep", settings.sleep ? "yes" : "no"]);
  parent.append(section("Scene", true, el("p", { class: "about" }, description), factTable(rows.map(([name, value]) => [plainName(name), value]))));
}
