// Makes a replay file from the built page, as docs/lab-protocol.md describes it, with a motion that is known exactly: boxes on circles,
// and a ball that appears late.
import { readFileSync, writeFileSync } from "node:fs";
import { motionText } from "../tests/motion_bytes.mjs";

const kFrames = 91;
const kInterval = 1 / 30; // s
export const kBallAppears = 45; // frame

export function boxPosition(k, time) {
  const angle = time + (k * 2 * Math.PI) / 12;
  return [3 * Math.cos(angle), 3 * Math.sin(angle), 0.5 + 0.2 * k];
}

export function replayParts() {
  const times = Array.from({ length: kFrames }, (_unused, frame) => frame * kInterval);
  const slots = Array.from({ length: 13 }, (_unused, k) => k + 1);
  const ball = (time) => [0, 0, Math.max(0.6, 6 - 4.905 * Math.max(time - kBallAppears * kInterval, 0) ** 2)];
  const turn = (k, time) => (k < 12 ? [0, 0, Math.sin(time / 2), Math.cos(time / 2)] : [0, 0, 0, 1]);
  const motion = motionText({
    slots, times, resolution: 1e-4,
    positions: times.map((time) => slots.map((_slot, k) => (k < 12 ? boxPosition(k, time) : ball(time)))),
    rotations: times.map((time) => slots.map((_slot, k) => turn(k, time))),
  });
  const pose = { position: [0, 0, 0], rotation: [0, 0, 0, 1] };
  const body = (slot, name, kind, colour, shapes, extra = {}) => ({
    slot, name, kind, mass: kind === "dynamic" ? 12.5 : null, colour, ...pose, center: [0, 0, 0], shapes: shapes.map((shape) => ({ ...pose, ...shape })), ...extra,
  });
  const bodies = [body(0, "ground", "static", "#b4b6b8", [{ type: "plane", normal: [0, 0, 1], offset: 0 }])];
  for (let k = 0; k < 12; ++k) {
    bodies.push(body(k + 1, `box.${k}`, "dynamic", k % 2 ? "#7396b8" : "#be7860", [{ type: "box", half: [0.5, 0.3, 0.2] }]));
  }
  bodies.push(body(13, "ball", "dynamic", "#d3ad62", [{ type: "sphere", radius: 0.6 }], { appears: kBallAppears }));
  const settings = {
    stepper: "soft", solver: "auto", takesSolver: false, friction_law: "auto", facets: 8, iterations: 1000, tolerance: 1e-5, substeps: 20,
    dt: 1 / 60, gravity: [0, 0, -9.81], friction: null, restitution: null, threads: 1, sleep: false,
  };
  const steps = Array.from({ length: 180 }, (_unused, k) => k / 60);
  const phase = (size) => steps.map((time) => size * (1 + 0.3 * Math.sin(9 * time)));
  const data = {
    scene: {
      epoch: 1, name: "carousel", title: "Boxes go round", description: "Made to test replays. </script> is only text here.", origin: [0, 0, 0], up: [0, 0, 1],
      radius: 4, parameters: [], settings, bodies,
    },
    series: {
      time: steps, kinetic: steps.map((time) => 50 + 20 * Math.sin(time)), potential: steps.map((time) => 120 - 20 * Math.sin(time)),
      penetration: steps.map((time) => 1e-4 * (1 + Math.cos(3 * time))), residual: steps.map((time) => 10 ** (-3 - Math.sin(2 * time))),
      iterations: steps.map((_time, k) => 10 + (k % 7)), contacts: steps.map(() => 48), ms: steps.map(() => 1),
      phases: {
        edits: phase(0.01), broad_phase: phase(0.1), narrow_phase: phase(0.3), islands: phase(0.03), prepare: phase(0.2), solve: phase(0.5),
        integrate: phase(0.1), finish: phase(0.05),
      },
    },
    report: {
      scene: "carousel", stepper: "soft", solver: null, dt: 1 / 60, steps: 180, seconds: 3, threads: 1, bodies: 13, contacts: { mean: 48, max: 48 },
      time_ms: { mean: 1.29, p95: 1.7 }, penetration_m: { max: 0.0002, end: 0.0001 }, energy_j: { start: 170, end: 170, max_gain: 0 },
      residual: { median: 1e-3, max: 1e-2 }, bodies_lost: 0, state_hash: "29f99a865f3d3790",
    },
    interval: kInterval,
  };
  return { data, motion };
}

export function writeReplay(page, file, { data, motion } = replayParts()) {
  const text = JSON.stringify(data).replaceAll("</", "<\\/");
  const parts = `<script type="application/json" id="cairn-replay">${text}</script>\n<script type="text/plain" id="cairn-motion">${motion}</script>`;
  writeFileSync(file, readFileSync(page, "utf8").replace("<!--cairn-data-->", () => parts));
}
