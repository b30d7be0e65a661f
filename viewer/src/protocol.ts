// The language of the lab (docs/lab-protocol.md): what the server says, read and checked. Nothing here touches the page.
// A message that is not what the protocol says is an error with a sentence in it, never a crash further on.

export type Vec3 = [number, number, number];
export type Quaternion = [number, number, number, number]; // x, y, z, w

export interface ShapePose {
  position: Vec3; // m, in the body's frame
  rotation: Quaternion;
}

export type Shape = ShapePose &
  (
    | { type: "plane"; normal: Vec3; offset: number }
    | { type: "sphere"; radius: number }
    | { type: "box"; half: Vec3 }
    | { type: "capsule" | "cylinder"; radius: number; halfHeight: number }
    | { type: "ellipsoid"; radii: Vec3 }
    | { type: "hull"; vertices: Vec3[]; triangles: Vec3[] }
    | { type: "hull"; same: number; shape: number }
  );

export type Kind = "static" | "kinematic" | "dynamic";

export interface Body {
  slot: number;
  name: string;
  kind: Kind;
  mass: number; // kg
  colour: string; // #rrggbb
  position: Vec3; // m, relative to the scene's origin
  rotation: Quaternion;
  center: Vec3; // m, centre of mass in the body's frame
  shapes: Shape[];
  appears: number; // replays: the first frame that shows it
}

export interface Settings {
  stepper: string;
  solver: string;
  takesSolver: boolean;
  friction_law: string;
  facets: number;
  iterations: number;
  tolerance: number;
  substeps: number;
  dt: number; // s
  gravity: Vec3; // m/s²
  friction: number | null;
  restitution: number | null;
  threads: number;
  sleep: boolean;
}

export interface Parameter {
  name: string;
  value: number;
  unit: string;
  what: string;
}

export interface Scene {
  epoch: number;
  name: string;
  title: string;
  description: string;
  origin: Vec3; // m
  up: Vec3;
  radius: number; // m
  parameters: Parameter[];
  settings: Settings;
  bodies: Body[];
}

export interface SceneEntry {
  name: string;
  title: string;
  description: string;
  bodies: number;
}

export interface Hello {
  version: string;
  protocol: number;
  client: number;
  scenes: SceneEntry[];
  steppers: { name: string; takesSolver: boolean }[];
  solvers: string[];
  shapes: string[];
}

export interface LabState {
  playing: boolean;
  speed: number;
  controls: number | null;
  clients: number;
  time: number; // s
  step: number;
  pinned: number[];
  recording: string | null;
}

// As in the report: the times of a step's phases, in this order.
export const kPhaseNames = ["edits", "broad_phase", "narrow_phase", "islands", "prepare", "solve", "integrate", "continuous", "finish"] as const;

export interface Stats {
  epoch: number;
  step: number;
  time: number; // s
  kinetic: number; // J
  potential: number; // J
  penetration: number | null; // m
  residual: number | null;
  iterations: number | null;
  contacts: number;
  islands: number;
  awake: number;
  bodies: number;
  joint_error: number | null; // m
  phases: number[]; // ms
  ms: number;
  steps_per_second: number;
  real_time: number;
}

export type Message =
  | { say: "hello"; hello: Hello }
  | { say: "scene"; scene: Scene }
  | { say: "bodies"; epoch: number; add: Body[]; remove: number[] }
  | { say: "settings"; settings: Settings }
  | { say: "state"; state: LabState }
  | { say: "stats"; stats: Stats }
  | { say: "refusal"; text: string }
  | { say: "problem"; text: string; about: string }
  | { say: "notice"; text: string }
  | { say: "slow"; seconds: number }; // so far, of the step that is being done; 0: it is over

export class ProtocolError extends Error {}

// Slots index arrays: a hostile one must not make the page allocate gigabytes.
export const kMaximumSlot = 1 << 21;
