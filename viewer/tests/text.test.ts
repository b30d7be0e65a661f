import { describe, expect, it } from "vitest";
import { liveAddress, nextWait } from "../src/connection";
import { countOf, formatNumber, formatStep, formatTime, formatUnit } from "../src/format";
import { findBody, neighbourBody } from "../src/panels/inspector";
import { reportRows } from "../src/panels/report";
import { Series, forLogarithm } from "../src/panels/series";
import { neighbourSpeed } from "../src/player";
import type { Body } from "../src/protocol";
import { searchScenes } from "../src/search";

describe("formatting", () => {
  it("writes numbers to three digits", () => {
    expect([0, 1, 1234.5, 0.01234, 12.345, -2.5].map((value) => formatNumber(value))).toEqual(["0", "1.00", "1235", "0.0123", "12.3", "−2.50"]);
    expect(formatNumber(1.5e-7)).toBe("1.5e−7");
    expect([null, undefined, NaN, Infinity].map((value) => formatNumber(value))).toEqual(["–", "–", "–", "–"]);
  });
  it("chooses prefixes", () => {
    expect(formatUnit(0.00051474, "m")).toBe("515 µm");
    expect(formatUnit(1569600, "J")).toBe("1.57 MJ");
    expect(formatUnit(0.9999996, "m")).toBe("1.00 m");
    expect(formatUnit(0, "m")).toBe("0 m");
    expect(formatUnit(-0.02, "m/s")).toBe("−20.0 mm/s");
    expect(formatUnit(null, "m")).toBe("–");
  });
  it("writes times and steps", () => {
    expect(formatTime(3.14159)).toBe("3.14 s");
    expect(formatTime(125.5)).toBe("2:05.50 min");
    expect(formatStep(1 / 60)).toBe("60.00 Hz = 16.667 ms");
    expect(formatStep(0)).toBe("–");
    expect([countOf(1, "body", "bodies"), countOf(20000, "body", "bodies")]).toEqual(["1 body", "20,000 bodies"]);
  });
});

describe("searchScenes", () => {
  const scenes = [
    { name: "wall_impact", title: "A ball meets a wall", description: "Newton’s law" },
    { name: "wall", title: "A wall of 820 bricks", description: "Running bond" },
    { name: "painleve_rod", title: "Painlevé’s rod", description: "jams and tumbles" },
  ];
  const names = (query: string) => searchScenes(scenes, query).map((scene) => scene.name);
  it("gives all without a query, in order", () => expect(names("  ")).toEqual(["wall_impact", "wall", "painleve_rod"]));
  it("needs every word, in any field, without accents or case", () => {
    expect(names("WALL brick")).toEqual(["wall"]);
    expect(names("painleve")).toEqual(["painleve_rod"]);
    expect(names("rod jams")).toEqual(["painleve_rod"]);
    expect(names("wall impact")).toEqual(["wall_impact"]);
    expect(names("zebra")).toEqual([]);
  });
  it("puts names before titles before descriptions", () => {
    const found = searchScenes([{ name: "a", title: "", description: "ball" }, { name: "b", title: "ball", description: "" }, { name: "ball", title: "", description: "" }], "ball");
    expect(found.map((scene) => scene.name)).toEqual(["ball", "b", "a"]);
  });
});

describe("bodies by name and by turn", () => {
  const bodies = [[7, "brick.1"], [3, "brick.12"], [5, "ball"]].map(([slot, name]) => ({ slot, name, kind: "dynamic" }) as unknown as Body);
  const still = { slot: 0, name: "ground", kind: "static" } as unknown as Body;
  it("finds the exact name first", () => {
    expect(findBody(bodies, "brick.12")?.slot).toBe(3);
    expect(findBody(bodies, "BRICK.1")?.slot).toBe(7);
    expect(findBody(bodies, "all")?.slot).toBe(5);
    expect(findBody(bodies, "")).toBeNull();
  });
  it("goes round in order of slots and skips what stands still", () => {
    expect(neighbourBody([still, ...bodies], null, 1)).toBe(3);
    expect(neighbourBody([still, ...bodies], 7, 1)).toBe(3);
    expect(neighbourBody([still, ...bodies], 3, -1)).toBe(7);
    expect(neighbourBody([still], null, 1)).toBeNull();
  });
});

describe("reportRows", () => {
  it("names fields and units", () => {
    const rows = Object.fromEntries(reportRows({
      scene: "tower", solver: null, dt: 1 / 60, steps: 900, penetration_m: { max: 0.0005147 }, energy_j: { start: 1569600 },
      time_ms: { mean: 6.13, variance: 3.5, phases: { broad_phase: 0.32 } }, contacts: { mean: 7120 },
    }));
    expect(rows).toEqual({
      scene: "tower", solver: "–", dt: "16.7 ms", steps: "900", "penetration, max": "515 µm", "energy, start": "1.57 MJ",
      "time, mean": "6.13 ms", "time, variance": "3.50 ms²", "time, phases, broad phase": "0.320 ms", "contacts, mean": "7,120",
    });
    expect(reportRows(null)).toEqual([]);
  });
});

describe("Series", () => {
  it("keeps the newest rows and starts anew when time goes back", () => {
    const series = new Series(2, 100);
    for (let k = 0; k < 1000; ++k) series.add([k, 2 * k]);
    expect(series.length).toBeLessThanOrEqual(125);
    expect(series.table()[1].at(-1)).toBe(1998);
    series.add([999, 7]);
    expect(series.table()[1].at(-1)).toBe(7);
    series.add([0, 1]);
    expect(series.table()).toEqual([[0], [1]]);
  });
  it("has no place for zero on a logarithmic axis", () => {
    expect([0, -1, null, NaN, 1e-20, 0.5].map((value) => forLogarithm(value))).toEqual([null, null, null, null, 1e-16, 0.5]);
  });
});

describe("speeds and waits", () => {
  it("steps through the speeds, with the maximum at the end", () => {
    expect(neighbourSpeed(1, 1, true)).toBe(2);
    expect(neighbourSpeed(4, 1, true)).toBe(0);
    expect(neighbourSpeed(4, 1, false)).toBe(4);
    expect(neighbourSpeed(0, -1, true)).toBe(4);
    expect(neighbourSpeed(0.1, -1, true)).toBe(0.1);
    expect(neighbourSpeed(0.3, 1, true)).toBe(0.5);
  });
  it("waits longer each time, up to some seconds", () => {
    const waits = Array.from({ length: 12 }, (_unused, attempt) => nextWait(attempt, 0.5));
    for (let k = 1; k < waits.length; ++k) expect(waits[k]).toBeGreaterThanOrEqual(waits[k - 1]);
    expect(waits[0]).toBeLessThan(500);
    expect(waits.at(-1)).toBe(5000);
  });
  it("carries the token over", () => {
    expect(liveAddress({ protocol: "http:", host: "127.0.0.1:8080", search: "" })).toBe("ws://127.0.0.1:8080/live");
    expect(liveAddress({ protocol: "https:", host: "lab", search: "?token=a%26b" })).toBe("wss://lab/live?token=a%26b");
  });
});
