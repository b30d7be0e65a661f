import { describe, expect, it } from "vitest";
import { decodeFrame } from "../src/frame";
import { PoseArrays, Poses, blendPoses } from "../src/poses";
import type { Body } from "../src/protocol";
import { frameBytes } from "./frame_bytes.mjs";
import { kBody } from "./samples.mjs";

const body = (slot: number): Body => ({ ...kBody, slot, appears: 0 }) as unknown as Body;
const frame = (x: number, slot = 1, extra = {}) =>
  decodeFrame(frameBytes({ bodies: [{ slot, position: [x, 0, 1], rotation: [0, 0, 0, 1], ...extra }] }));

function turned(angle: number): PoseArrays {
  const poses = new PoseArrays(1);
  poses.rotations.set([0, 0, Math.sin(angle / 2), Math.cos(angle / 2)]);
  return poses;
}

describe("blendPoses", () => {
  it("stays within 0.1 degrees of the true arc for what turns 30 degrees between frames", () => {
    const out = new PoseArrays(1);
    for (let share = 0; share <= 1; share += 0.05) {
      blendPoses([0], share, turned(0), turned(Math.PI / 6), out);
      const angle = 2 * Math.atan2(out.rotations[2], out.rotations[3]);
      expect(Math.abs(angle - (share * Math.PI) / 6)).toBeLessThan((0.1 * Math.PI) / 180);
    }
  });

  it("takes the short way round if a quaternion comes with the other sign", () => {
    const to = turned(0.2);
    to.rotations.set(to.rotations.map((value) => -value));
    const out = new PoseArrays(1);
    blendPoses([0], 0.5, turned(0), to, out);
    expect(2 * Math.atan2(out.rotations[2], out.rotations[3])).toBeCloseTo(0.1, 5);
  });

  it("never makes a rotation of length zero", () => {
    const out = new PoseArrays(1);
    blendPoses([0], 0.5, new PoseArrays(1), new PoseArrays(1), out);
    expect([...out.rotations]).toEqual([0, 0, 0, 1]);
  });
});

describe("Poses", () => {
  it("goes from where it is shown to the newest frame, and then rests", () => {
    const poses = new Poses();
    poses.add([body(1)]);
    poses.take(frame(1), 10);
    poses.advance(10);
    expect(poses.shown.positions[3]).toBe(0);
    poses.advance(10.0001);
    const soon = poses.shown.positions[3];
    expect(soon).toBeGreaterThan(0);
    expect(soon).toBeLessThan(0.1);
    expect(poses.advance(10.5)).toBe(true);
    expect(poses.shown.positions[3]).toBe(1);
    expect(poses.advance(10.6)).toBe(false);
  });

  it("is at most a quarter of a second late, however seldom frames come", () => {
    const poses = new Poses();
    poses.add([body(1)]);
    for (let k = 0; k < 50; ++k) poses.take(frame(k), 10 * k);
    poses.advance(490.25);
    expect(poses.shown.positions[3]).toBe(49);
  });

  it("ignores slots that it does not have, and grows when told of new bodies", () => {
    const poses = new Poses();
    poses.add([body(1)]);
    poses.take(frame(5, 1000), 1);
    expect(poses.advance(2)).toBe(true);
    expect(poses.capacity).toBeLessThan(1000);
    poses.add([body(1000)]);
    poses.take(frame(5, 1000, { flags: 9 }), 3);
    poses.advance(4);
    expect(poses.shown.positions[3000]).toBe(5);
    expect(poses.flags[1000]).toBe(9);
    expect(poses.shown.positions[3 * 1 + 2]).toBe(1); // the other body is where it was
  });
});
