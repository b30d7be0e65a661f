import { describe, expect, it } from "vitest";
import { ProtocolError } from "../src/protocol";
import { readMessage } from "../src/read_message";
import { kBody, kScene, kSettings, kStats } from "./samples.mjs";

const read = (message: unknown) => readMessage(JSON.stringify(message));

describe("readMessage", () => {
  it("reads a scene with all its shapes", () => {
    const pose = { position: [0, 0, 0], rotation: [0, 0, 0, 1] };
    const shapes = [
      { ...pose, type: "sphere", radius: 1 }, { ...pose, type: "capsule", radius: 1, halfHeight: 2 }, { ...pose, type: "cylinder", radius: 1, halfHeight: 2 },
      { ...pose, type: "ellipsoid", radii: [1, 2, 3] },
      { ...pose, type: "hull", vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], triangles: [[0, 2, 1], [0, 1, 3]] },
      { ...pose, type: "hull", same: 1, shape: 4 },
    ];
    const message = read({ ...kScene, bodies: [{ ...kBody, shapes }] });
    expect(message?.say === "scene" && message.scene.bodies[0].shapes).toEqual(shapes);
  });

  it("fills in what a server may leave out, and keeps numbers that may be absent absent", () => {
    const message = read(kStats);
    expect(message?.say === "stats" && [message.stats.residual, message.stats.penetration]).toEqual([null, 1e-4]);
    const bare = read({ ...kScene, parameters: undefined, bodies: [{ ...kBody, colour: "url(x)", center: undefined, mass: null }] });
    expect(bare?.say === "scene" && [bare.scene.parameters, bare.scene.bodies[0].colour, bare.scene.bodies[0].mass]).toEqual([[], "#b4b6b8", 0]);
  });

  it("reads how long a step has taken so far", () => {
    expect(read({ say: "slow", seconds: 2.5 })).toEqual({ say: "slow", seconds: 2.5 });
  });

  it("ignores a kind of message that it does not know", () => {
    expect(read({ say: "weather", text: "fine" })).toBeNull();
  });

  it.each([
    ["not JSON", "{"],
    ["no object", "[]"],
    ["a slot that is no slot", JSON.stringify({ ...kScene, bodies: [{ ...kBody, slot: -1 }] })],
    ["a slot beyond all arrays", JSON.stringify({ ...kScene, bodies: [{ ...kBody, slot: 4e9 }] })],
    ["two numbers for a position", JSON.stringify({ ...kScene, bodies: [{ ...kBody, position: [1, 2] }] })],
    ["a text in a position", JSON.stringify({ ...kScene, bodies: [{ ...kBody, position: [1, 2, "3"] }] })],
    ["a shape that does not exist", JSON.stringify({ ...kScene, bodies: [{ ...kBody, shapes: [{ type: "torus" }] }] })],
    ["a triangle of a corner that is not there", JSON.stringify({
      ...kScene, bodies: [{ ...kBody, shapes: [{ type: "hull", vertices: [[0, 0, 0]], triangles: [[0, 0, 1]] }] }],
    })],
    ["a radius of zero", JSON.stringify({ ...kScene, radius: 0 })],
    ["no settings", JSON.stringify({ ...kScene, settings: null })],
    ["a step that is no number", JSON.stringify({ say: "settings", settings: { ...kSettings, dt: "fast" } })],
    ["a state without a time", JSON.stringify({ say: "state", playing: true, speed: 1, step: 3 })],
    ["a refusal without a text", JSON.stringify({ say: "refusal" })],
    ["a slow step without its seconds", JSON.stringify({ say: "slow" })],
  ])("refuses %s", (_what, line) => {
    expect(() => readMessage(line)).toThrow(ProtocolError);
  });

  it("names the field that is wrong, and does not repeat pages of it", () => {
    expect(() => read({ ...kScene, bodies: [kBody, { ...kBody, kind: "wobbly" }] })).toThrow(/bodies\[1\]\.kind.*wobbly/);
    try {
      read({ ...kScene, name: Array(10_000).fill("x") });
    } catch (error) {
      expect((error as Error).message.length).toBeLessThan(200);
    }
  });
});
