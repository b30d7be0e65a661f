// Reads the server's text messages and checks every field that the page relies on.
import {
  type Body, type Hello, type Kind, type LabState, type Message, type Parameter, ProtocolError, type Quaternion, type Scene, type Settings,
  type Shape, type Stats, type Vec3, kMaximumSlot,
} from "./protocol";

type Json = Record<string, unknown>;

function fail(where: string, expected: string, found: unknown): never {
  const text = JSON.stringify(found) ?? String(found);
  throw new ProtocolError(`${where}: expected ${expected}, found ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`);
}

function object(value: unknown, where: string): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) fail(where, "an object", value);
  return value as Json;
}
function list(value: unknown, where: string): unknown[] {
  return Array.isArray(value) ? value : fail(where, "a list", value);
}
function number(value: unknown, where: string): number {
  return typeof value === "number" && Number.isFinite(value) ? value : fail(where, "a number", value);
}
function text(value: unknown, where: string): string {
  return typeof value === "string" ? value : fail(where, "a text", value);
}
function flag(value: unknown, where: string): boolean {
  return typeof value === "boolean" ? value : fail(where, "true or false", value);
}
function numberOr<T>(value: unknown, fallback: T): number | T {
  return typeof value === "number" && Number.isFinite(value) ? value : fallback;
}
function textOr(value: unknown, fallback: string): string {
  return typeof value === "string" ? value : fallback;
}
function numbers(value: unknown, count: number, where: string): number[] {
  if (!Array.isArray(value) || value.length !== count) fail(where, `${count} numbers`, value);
  for (const item of value) number(item, where);
  return value as number[];
}
const vec3 = (value: unknown, where: string) => numbers(value, 3, where) as Vec3;
const quaternion = (value: unknown, where: string) => numbers(value, 4, where) as Quaternion;
function whole(value: unknown, limit: number, where: string): number {
  const found = number(value, where);
  return Number.isInteger(found) && found >= 0 && found <= limit ? found : fail(where, `a whole number up to ${limit}`, value);
}
const slotNumber = (value: unknown, where: string) => whole(value, kMaximumSlot - 1, where);

function readShape(value: unknown, where: string): Shape {
  const given = object(value, where);
  const pose = {
    position: given.position === undefined ? ([0, 0, 0] as Vec3) : vec3(given.position, `${where}.position`),
    rotation: given.rotation === undefined ? ([0, 0, 0, 1] as Quaternion) : quaternion(given.rotation, `${where}.rotation`),
  };
  const type = text(given.type, `${where}.type`);
  switch (type) {
    case "plane":
      return { ...pose, type, normal: vec3(given.normal, `${where}.normal`), offset: number(given.offset, `${where}.offset`) };
    case "sphere":
      return { ...pose, type, radius: number(given.radius, `${where}.radius`) };
    case "box":
      return { ...pose, type, half: vec3(given.half, `${where}.half`) };
    case "capsule":
    case "cylinder":
      return { ...pose, type, radius: number(given.radius, `${where}.radius`), halfHeight: number(given.halfHeight, `${where}.halfHeight`) };
    case "ellipsoid":
      return { ...pose, type, radii: vec3(given.radii, `${where}.radii`) };
    case "hull": {
      if (given.same !== undefined) {
        return { ...pose, type, same: slotNumber(given.same, `${where}.same`), shape: whole(given.shape, 1 << 16, `${where}.shape`) };
      }
      const vertices = list(given.vertices, `${where}.vertices`).map((item) => vec3(item, `${where}.vertices`));
      const triangles = list(given.triangles, `${where}.triangles`).map((item) => {
        const corners = vec3(item, `${where}.triangles`);
        for (const corner of corners) whole(corner, vertices.length - 1, `${where}.triangles`);
        return corners;
      });
      return { ...pose, type, vertices, triangles };
    }
    default:
      return fail(`${where}.type`, "a known shape", type);
  }
}

const kKinds: readonly string[] = ["static", "kinematic", "dynamic"];

function readBody(value: unknown, where: string): Body {
  const given = object(value, where);
  const name = text(given.name, `${where}.name`);
  const kind = text(given.kind, `${where}.kind`);
  if (!kKinds.includes(kind)) fail(`${where}.kind`, "static, kinematic or dynamic", kind);
  const colour = textOr(given.colour, "");
  return {
    slot: slotNumber(given.slot, `${where}.slot`),
    name,
    kind: kind as Kind,
    mass: numberOr(given.mass, 0),
    colour: /^#[0-9a-fA-F]{6}$/.test(colour) ? colour : "#b4b6b8",
    position: vec3(given.position, `${where}.position`),
    rotation: quaternion(given.rotation, `${where}.rotation`),
    center: given.center === undefined ? [0, 0, 0] : vec3(given.center, `${where}.center`),
    shapes: list(given.shapes, `${where}.shapes`).map((shape, k) => readShape(shape, `${where}.shapes[${k}]`)),
    appears: numberOr(given.appears, 0),
  };
}

const readBodies = (value: unknown, where: string) => list(value, where).map((body, k) => readBody(body, `${where}[${k}]`));

function readSettings(value: unknown): Settings {
  const given = object(value, "settings");
  return {
    stepper: text(given.stepper, "settings.stepper"),
    solver: textOr(given.solver, "auto"),
    takesSolver: given.takesSolver === true,
    friction_law: textOr(given.friction_law, "auto"),
    facets: numberOr(given.facets, 8),
    iterations: numberOr(given.iterations, 0),
    tolerance: numberOr(given.tolerance, 0),
    substeps: numberOr(given.substeps, 1),
    dt: number(given.dt, "settings.dt"),
    gravity: vec3(given.gravity, "settings.gravity"),
    friction: numberOr(given.friction, null),
    restitution: numberOr(given.restitution, null),
    threads: numberOr(given.threads, 1),
    sleep: given.sleep === true,
  };
}

function readParameters(value: unknown): Parameter[] {
  if (value === undefined) return [];
  return list(value, "parameters").map((item) => {
    const given = object(item, "parameters");
    return {
      name: text(given.name, "parameters.name"),
      value: number(given.value, "parameters.value"),
      unit: textOr(given.unit, ""),
      what: textOr(given.what, ""),
    };
  });
}

export function readScene(value: unknown): Scene {
  const given = object(value, "scene");
  const radius = number(given.radius, "scene.radius");
  return {
    epoch: numberOr(given.epoch, 0),
    name: text(given.name, "scene.name"),
    title: textOr(given.title, ""),
    description: textOr(given.description, ""),
    origin: vec3(given.origin, "scene.origin"),
    up: vec3(given.up, "scene.up"),
    radius: radius > 0 ? radius : fail("scene.radius", "a number above 0", radius),
    parameters: readParameters(given.parameters),
    settings: readSettings(given.settings),
    bodies: readBodies(given.bodies, "bodies"),
  };
}

function readHello(given: Json): Hello {
  return {
    version: textOr(given.version, ""),
    protocol: number(given.protocol, "hello.protocol"),
    client: number(given.client, "hello.client"),
    scenes: list(given.scenes, "hello.scenes").map((item) => {
      const entry = object(item, "hello.scenes");
      return {
        name: text(entry.name, "hello.scenes.name"),
        title: textOr(entry.title, ""),
        description: textOr(entry.description, ""),
        bodies: numberOr(entry.bodies, 0),
      };
    }),
    steppers: list(given.steppers, "hello.steppers").map((item) => {
      const entry = object(item, "hello.steppers");
      return { name: text(entry.name, "hello.steppers.name"), takesSolver: entry.takesSolver === true };
    }),
    solvers: list(given.solvers, "hello.solvers").map((item) => text(item, "hello.solvers")),
    shapes: list(given.shapes, "hello.shapes").map((item) => text(item, "hello.shapes")),
  };
}

function readState(given: Json): LabState {
  return {
    playing: flag(given.playing, "state.playing"),
    speed: number(given.speed, "state.speed"),
    controls: numberOr(given.controls, null),
    clients: numberOr(given.clients, 1),
    time: number(given.time, "state.time"),
    step: number(given.step, "state.step"),
    pinned: list(given.pinned ?? [], "state.pinned").map((slot) => slotNumber(slot, "state.pinned")),
    recording: typeof given.recording === "string" ? given.recording : null,
  };
}

function readStats(given: Json): Stats {
  return {
    epoch: number(given.epoch, "stats.epoch"),
    step: number(given.step, "stats.step"),
    time: number(given.time, "stats.time"),
    kinetic: numberOr(given.kinetic, 0),
    potential: numberOr(given.potential, 0),
    penetration: numberOr(given.penetration, null),
    residual: numberOr(given.residual, null),
    iterations: numberOr(given.iterations, null),
    contacts: numberOr(given.contacts, 0),
    islands: numberOr(given.islands, 0),
    awake: numberOr(given.awake, 0),
    bodies: numberOr(given.bodies, 0),
    joint_error: numberOr(given.joint_error, null),
    phases: list(given.phases ?? [], "stats.phases").map((ms) => numberOr(ms, 0)),
    ms: numberOr(given.ms, 0),
    steps_per_second: numberOr(given.steps_per_second, 0),
    real_time: numberOr(given.real_time, 0),
  };
}

// Returns null for a message of a kind that this page does not know: a newer server may say more.
export function readMessage(line: string): Message | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    throw new ProtocolError("a message is not JSON");
  }
  const given = object(parsed, "message");
  switch (given.say) {
    case "hello":
      return { say: "hello", hello: readHello(given) };
    case "scene":
      return { say: "scene", scene: readScene(given) };
    case "bodies":
      return {
        say: "bodies",
        epoch: number(given.epoch, "bodies.epoch"),
        add: readBodies(given.add ?? [], "add"),
        remove: list(given.remove ?? [], "remove").map((slot) => slotNumber(slot, "remove")),
      };
    case "settings":
      return { say: "settings", settings: readSettings(given.settings) };
    case "state":
      return { say: "state", state: readState(given) };
    case "stats":
      return { say: "stats", stats: readStats(given) };
    case "refusal":
    case "notice":
      return { say: given.say, text: text(given.text, `${given.say}.text`) };
    case "slow":
      return { say: "slow", seconds: number(given.seconds, "slow.seconds") };
    case "problem":
      return { say: "problem", text: text(given.text, "problem.text"), about: textOr(given.about, "") };
    default:
      return null;
  }
}
