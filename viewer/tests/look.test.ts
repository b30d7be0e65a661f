import { describe, expect, it } from "vitest";
import { decades, shortNumber, stack } from "../src/panels/plots";
import { usualImpulse } from "../src/scene3d/contacts";
import { basisAround } from "../src/scene3d/camera";
import { rampColour } from "../src/scene3d/colours";
import { gridStep } from "../src/scene3d/ground";
import { Quality, kLooks } from "../src/scene3d/quality";

describe("Quality", () => {
  const run = (quality: Quality, ms: number, seconds: number) => {
    for (let passed = 0; passed < 1000 * seconds; passed += ms) quality.observe(ms);
  };
  it("gets coarser while drawing is slow, to the coarsest, and stays there", () => {
    const quality = new Quality();
    run(quality, 150, 30);
    expect(quality.level).toBe(kLooks.length - 1);
    run(quality, 10, 60);
    expect(quality.level).toBe(kLooks.length - 1); // what was too much once is not tried again
  });
  it("leaves a fast machine alone, and is not put off by one pause", () => {
    const quality = new Quality();
    run(quality, 16.7, 20);
    quality.observe(1900);
    quality.observe(5000);
    run(quality, 16.7, 5);
    expect(quality.level).toBe(0);
  });
  it("does not try for more than was guessed", () => {
    const quality = new Quality();
    quality.guess(4);
    run(quality, 16.7, 60);
    expect(quality.level).toBe(4);
    run(quality, 25, 10); // where the processor draws, it had better be quick
    expect(quality.level).toBe(kLooks.length - 1);
    quality.guess(3); // another scene
    expect(quality.level).toBe(3);
  });
  it("does as it is told", () => {
    const quality = new Quality();
    quality.choose(2);
    run(quality, 500, 20);
    expect(quality.level).toBe(2);
  });
});

describe("numbers of the picture", () => {
  it("makes a right-handed frame around any up direction", () => {
    for (const up of [[0, 0, 1], [0, 1, 0], [1, 0, 0], [0.3, -0.4, 0.5], [0, 0, 0]] as const) {
      const basis = basisAround([...up]);
      expect(basis.right.dot(basis.up)).toBeCloseTo(0, 12);
      expect(basis.right.clone().cross(basis.ahead).dot(basis.up)).toBeCloseTo(1, 12);
    }
    expect(basisAround([0, 0, 1]).ahead.toArray()).toEqual([0, 1, 0]);
  });
  it("has grid steps of 1, 2 and 5", () => {
    expect([10, 20, 50, 0.1, 12.5].map((radius) => Number(gridStep(radius).toPrecision(6)))).toEqual([1, 2, 5, 0.01, 1]);
  });
  it("scales arrows by what most impulses are below", () => {
    const contacts = new Float32Array(11 * 100);
    for (let k = 0; k < 100; ++k) contacts[11 * k + 8] = k + 1;
    expect(usualImpulse(contacts)).toBeCloseTo(90, 0);
    expect(usualImpulse(new Float32Array(22))).toBe(0);
  });
  it("has a ramp that gets lighter all the way", () => {
    const light = ([r, g, b]: number[]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
    for (let k = 1; k <= 20; ++k) expect(light(rampColour(k / 20))).toBeGreaterThan(light(rampColour((k - 1) / 20)));
  });
});

describe("plots", () => {
  it("stacks columns, with gaps as nothing", () => {
    expect(stack([[1, 2], [3, null], [5, 6]])).toEqual([[1, 2], [4, 2], [9, 8]]);
  });
  it("spans whole decades", () => {
    expect(decades(3e-4, 0.02)).toEqual([1e-4, 0.1]);
    expect(decades(0.1, 0.1)).toEqual([0.1, 1]);
    expect(decades(null, null)).toEqual([1e-6, 1]);
  });
  it("keeps axis labels short", () => {
    expect([0, 1569600, 2500, 0.25, 1e-5].map(shortNumber)).toEqual(["0", "1.57M", "2.5k", "0.25", "1e-5"]);
  });
});
