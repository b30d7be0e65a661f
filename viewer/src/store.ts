// What the page knows, in one place. Panels listen to the fields that they show.

import type { Hello, LabState, Scene, SceneEntry, Settings, Stats } from "./protocol";

export type Mode = "live" | "replay";
export type Link = "connecting" | "open" | "lost" | "none";

export const kOverlayNames = ["contacts", "impulses", "cones", "centers", "axes", "islands", "layers", "sleeping", "boxes"] as const;
export type OverlayName = (typeof kOverlayNames)[number];
export type Overlays = Record<OverlayName, boolean>;

export interface Method {
  stepper: string;
  solver: string;
}

export interface State {
  mode: Mode;
  link: Link;
  hello: Hello | null;
  scenes: SceneEntry[];
  scene: Scene | null;
  settings: Settings | null;
  lab: LabState | null;
  stats: Stats | null;
  refusal: string | null;
  slow: number | null; // s that the present step has taken so far, if it takes long
  // The last stepper and solver that made a step: where the way back from a refusal leads.
  lastGood: Method | null;
  goodBefore: Method | null; // and the one before that
  selected: number | null; // slot
  isFollowing: boolean;
  overlays: Overlays;
  bodiesVersion: number; // counts changes of the set of bodies
}

export function initialState(mode: Mode): State {
  return {
    mode, link: mode === "live" ? "connecting" : "none", hello: null, scenes: [], scene: null, settings: null, lab: null, stats: null,
    refusal: null, slow: null, lastGood: null, goodBefore: null, selected: null, isFollowing: false, bodiesVersion: 0,
    overlays: Object.fromEntries(kOverlayNames.map((name) => [name, false])) as Overlays,
  };
}

type Listener = (state: State) => void;

export class Store {
  private listeners: { keys: readonly (keyof State)[]; listener: Listener }[] = [];
  constructor(public state: State) {}

  // Listeners hear of fields whose value is another one; they are called once right away.
  on(keys: readonly (keyof State)[], listener: Listener) {
    this.listeners.push({ keys, listener });
    listener(this.state);
  }

  set(changes: Partial<State>) {
    const changed = (Object.keys(changes) as (keyof State)[]).filter((key) => changes[key] !== this.state[key]);
    if (changed.length === 0) return;
    this.state = { ...this.state, ...changes };
    for (const { keys, listener } of this.listeners) {
      if (keys.some((key) => changed.includes(key))) listener(this.state);
    }
  }
}

export function holdsControls(state: State): boolean {
  return state.mode === "live" && state.hello !== null && state.lab?.controls === state.hello.client;
}

// What the page must ask the server for, given the overlays that are on.
export function wantedParts(overlays: Overlays): { contacts: boolean; islands: boolean; boxes: boolean } {
  return {
    contacts: overlays.contacts || overlays.impulses || overlays.cones,
    islands: overlays.islands || overlays.layers,
    boxes: overlays.boxes,
  };
}

// Colours can mean one thing at a time.
const kColourings: readonly OverlayName[] = ["islands", "layers", "sleeping"];

export function toggleOverlay(overlays: Overlays, name: OverlayName): Overlays {
  const next = { ...overlays, [name]: !overlays[name] };
  if (next[name] && kColourings.includes(name)) {
    for (const other of kColourings) if (other !== name) next[other] = false;
  }
  return next;
}

const isSame = (a: Method | null, b: Method | null) => a?.stepper === b?.stepper && a?.solver === b?.solver;
const presentMethod = ({ settings }: State): Method | null => (settings === null ? null : { stepper: settings.stepper, solver: settings.solver });

// Statistics of new steps prove that the present method works: the way back leads here, and an older refusal is over.
export function takeStats(state: State, stats: Stats): Partial<State> {
  if (state.scene === null || stats.epoch !== state.scene.epoch) return {};
  const isNewStep = stats.step > (state.stats?.epoch === stats.epoch ? state.stats.step : 0);
  const changes: Partial<State> = { stats };
  // While the lab pauses, statistics are late ones, of steps before the pause.
  if (!isNewStep || state.settings === null || state.lab?.playing === false) return changes;
  const method = presentMethod(state);
  if (!isSame(method, state.lastGood)) Object.assign(changes, { lastGood: method, goodBefore: state.lastGood });
  if (state.refusal !== null) changes.refusal = null;
  return changes;
}

// The lab pauses by itself. Statistics of the method before may have come after the settings changed, and made the refused method
// look good: then the way back leads to the one before.
export function takeRefusal(state: State, text: string): Partial<State> {
  const changes: Partial<State> = { refusal: text };
  if (state.lab !== null) changes.lab = { ...state.lab, playing: false };
  if (state.lastGood !== null && isSame(state.lastGood, presentMethod(state))) changes.lastGood = state.goodBefore;
  return changes;
}

// Where the way back from a method leads that does not get anywhere: to the last one that made steps, or the one before that.
export function wayBack(state: State): Method | null {
  if (state.settings === null) return null;
  const present = presentMethod(state);
  return isSame(state.lastGood, present) ? state.goodBefore : state.lastGood;
}
