import { describe, expect, it } from "vitest";
import type { Stats } from "../src/protocol";
import { readMessage } from "../src/read_message";
import { Store, holdsControls, initialState, takeRefusal, takeStats, toggleOverlay, wantedParts, wayBack } from "../src/store";
import { kScene, kSettings, kStats } from "./samples.mjs";

function liveStore(): Store {
  const store = new Store(initialState("live"));
  const message = readMessage(JSON.stringify(kScene));
  if (message?.say === "scene") store.set({ scene: message.scene, settings: message.scene.settings });
  return store;
}
const stats = (changes: Partial<Stats> = {}) => ({ ...kStats, ...changes }) as unknown as Stats;

const kLab = { playing: true, speed: 1, controls: 4, clients: 2, time: 0, step: 0, pinned: [], recording: null };

describe("Store", () => {
  it("calls listeners once at first and then for their fields only", () => {
    const store = new Store(initialState("live"));
    const heard: (number | null)[] = [];
    store.on(["selected"], (state) => heard.push(state.selected));
    store.set({ selected: 3 });
    store.set({ selected: 3 });
    store.set({ isFollowing: true });
    store.set({ selected: null });
    expect(heard).toEqual([null, 3, null]);
  });

  it("shows each listener the newest state, also if one listener changes it", () => {
    const store = new Store(initialState("live"));
    const seen: boolean[] = [];
    store.on(["selected"], (state) => state.selected === 1 && store.set({ isFollowing: true }));
    store.on(["isFollowing"], (state) => seen.push(state.isFollowing));
    store.set({ selected: 1 });
    expect(seen).toEqual([false, true]);
  });
});

describe("takeStats", () => {
  it("remembers the method that made a step, and ends a refusal", () => {
    const store = liveStore();
    store.set({ refusal: "no", lab: kLab });
    store.set(takeStats(store.state, stats()));
    expect(store.state.lastGood).toEqual({ stepper: "soft", solver: "auto" });
    expect(store.state.refusal).toBeNull();
  });

  it("does not take a method for good that made no new step", () => {
    const store = liveStore();
    store.set(takeStats(store.state, stats()));
    store.set({ settings: { ...store.state.settings!, stepper: "gauss" }, refusal: "gauss takes no friction" });
    store.set(takeStats(store.state, stats())); // the same step once more
    expect(store.state.lastGood?.stepper).toBe("soft");
    expect(store.state.refusal).not.toBeNull();
  });

  it("finds the way back also if late statistics made the refused method look good", () => {
    const store = liveStore();
    store.set({ lab: kLab });
    store.set(takeStats(store.state, stats({ step: 10 })));
    store.set({ settings: { ...store.state.settings!, stepper: "gauss" } });
    store.set(takeStats(store.state, stats({ step: 12 }))); // of steps that "soft" made
    store.set(takeRefusal(store.state, "gauss takes no friction"));
    store.set(takeStats(store.state, stats({ step: 13 }))); // even later
    expect(store.state.lastGood).toEqual({ stepper: "soft", solver: "auto" });
    expect([store.state.refusal, store.state.lab?.playing]).toEqual(["gauss takes no friction", false]);
    // Back, and on.
    store.set({ settings: { ...store.state.settings!, stepper: "soft" }, lab: kLab });
    store.set(takeStats(store.state, stats({ step: 14 })));
    expect(store.state.refusal).toBeNull();
  });

  it("leaves out statistics of a scene that is gone", () => {
    const store = liveStore();
    expect(takeStats(store.state, stats({ epoch: 1 }))).toEqual({});
  });
});

describe("wayBack", () => {
  it("leads to the last method that made steps, though late statistics made the slow one look good", () => {
    const store = liveStore();
    store.set({ lab: kLab });
    expect(wayBack(store.state)).toBeNull();
    store.set(takeStats(store.state, stats({ step: 10 })));
    store.set({ settings: { ...store.state.settings!, stepper: "acceleration" } });
    expect(wayBack(store.state)).toEqual({ stepper: "soft", solver: "auto" });
    store.set(takeStats(store.state, stats({ step: 12 }))); // of steps that "soft" made
    expect(wayBack(store.state)).toEqual({ stepper: "soft", solver: "auto" });
  });
});

describe("overlays", () => {
  const { overlays } = initialState("live");
  it("asks the server for what the overlays need, and no more", () => {
    expect(wantedParts(overlays)).toEqual({ contacts: false, islands: false, boxes: false });
    expect(wantedParts(toggleOverlay(overlays, "cones"))).toEqual({ contacts: true, islands: false, boxes: false });
    expect(wantedParts(toggleOverlay(overlays, "layers"))).toEqual({ contacts: false, islands: true, boxes: false });
  });
  it("lets colours mean one thing at a time", () => {
    const both = toggleOverlay(toggleOverlay(toggleOverlay(overlays, "boxes"), "islands"), "sleeping");
    expect([both.islands, both.sleeping, both.boxes]).toEqual([false, true, true]);
    expect(toggleOverlay(both, "sleeping").sleeping).toBe(false);
  });
});

describe("holdsControls", () => {
  it("is true for the client that the server names", () => {
    const store = liveStore();
    const lab = kLab;
    const hello = { version: "", protocol: 1, client: 4, scenes: [], steppers: [], solvers: [], shapes: [] };
    expect(holdsControls(store.state)).toBe(false);
    store.set({ lab, hello });
    expect(holdsControls(store.state)).toBe(true);
    store.set({ lab: { ...lab, controls: null } });
    expect(holdsControls(store.state)).toBe(false);
    expect(kSettings.stepper).toBe(store.state.settings?.stepper);
  });
});
