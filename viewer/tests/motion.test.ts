import { describe, expect, it } from "vitest";
import { decodeMotion, frameAt, inflateBase64, poseAt } from "../src/motion";
import { ProtocolError } from "../src/protocol";
import { motionBytes, motionText } from "./motion_bytes.mjs";

type MotionSpec = { slots: number[]; times: number[]; resolution: number; positions: number[][][]; rotations: number[][][] };

// A ball that falls and a plate that turns round z, past half a turn, where signs of quaternions flip.
function sample(frames: number): MotionSpec {
  const times = Array.from({ length: frames }, (_unused, k) => k / 30);
  return {
    slots: [5, 2], times, resolution: 1e-4,
    positions: times.map((t) => [[0.1, -2, 10 - 4.905 * t * t], [3, 0, 0.5]]),
    rotations: times.map((t) => [[0, 0, 0, 1], [0, 0, Math.sin(2 * t), Math.cos(2 * t)]]),
  };
}

const read = (spec: MotionSpec) => decodeMotion(new Uint8Array(motionBytes(spec)));

describe("decodeMotion", () => {
  it("gives back every pose to the resolution", () => {
    const spec = sample(120);
    const motion = read(spec);
    expect([motion.bodies, motion.frames, [...motion.slots]]).toEqual([2, 120, [5, 2]]);
    const positions = new Float32Array(3 * 8);
    const rotations = new Float32Array(4 * 8);
    spec.times.forEach((time, frame) => {
      poseAt(motion, motion.times[frame], positions, rotations);
      expect(motion.times[frame]).toBeCloseTo(time, 5);
      spec.slots.forEach((slot, body) => {
        spec.positions[frame][body].forEach((value, k) => expect(Math.abs(positions[3 * slot + k] - value)).toBeLessThan(0.51e-4 + 1e-6));
        const dot = spec.rotations[frame][body].reduce((sum, value, k) => sum + value * rotations[4 * slot + k], 0);
        // The same rotation, perhaps with the other sign; single precision rounds each part by up to 6e-8.
        expect(Math.abs(dot)).toBeGreaterThan(1 - 1e-7);
      });
    });
  });

  it("survives zlib and base64, as in the file", async () => {
    const spec = sample(10);
    expect([...(await inflateBase64(motionText(spec)))]).toEqual([...motionBytes(spec)]);
    expect([...(await inflateBase64(`\n${motionText(spec)}\n`))]).toEqual([...motionBytes(spec)]);
  });

  it("says what is wrong with text that is no motion", async () => {
    await expect(inflateBase64("!!!")).rejects.toThrow(/base64/);
    await expect(inflateBase64("aGVsbG8gd29ybGQ=")).rejects.toThrow(/unpacked/);
    const text = motionText(sample(10));
    await expect(inflateBase64(text.slice(0, Math.floor(text.length / 2)))).rejects.toThrow(ProtocolError);
  });

  it("refuses a motion cut off at any byte, or with more after it", () => {
    const whole = new Uint8Array(motionBytes(sample(6)));
    for (let length = 0; length < whole.length; ++length) expect(() => decodeMotion(whole.slice(0, length))).toThrow(ProtocolError);
    const longer = new Uint8Array(whole.length + 1);
    longer.set(whole);
    expect(() => decodeMotion(longer)).toThrow(/longer/);
  });

  it("refuses heads that cannot be", () => {
    for (const [offset, value] of [[0, 1], [4, 2], [8, 0xffffffff], [12, 0xffffffff], [24, 0xffffffff]]) {
      const bytes = motionBytes(sample(6));
      bytes.writeUInt32LE(value, offset);
      expect(() => decodeMotion(new Uint8Array(bytes))).toThrow(ProtocolError);
    }
    for (const resolution of [0, -1, NaN, Infinity]) {
      const bytes = motionBytes(sample(6));
      bytes.writeDoubleLE(resolution, 16);
      expect(() => decodeMotion(new Uint8Array(bytes))).toThrow(/resolution/);
    }
    expect(() => read({ ...sample(3), times: [0, 2, 1] })).toThrow(/rise/);
  });

  it("refuses a number that never ends", () => {
    const bytes = motionBytes(sample(6));
    bytes.fill(0xff, 24 + 8 + 24);
    expect(() => decodeMotion(new Uint8Array(bytes))).toThrow(/32 bits/);
  });
});

describe("poseAt", () => {
  it("lies half way between two frames half way between their times", () => {
    const motion = read({
      slots: [0], times: [0, 1], resolution: 1e-3, positions: [[[0, 0, 0]], [[2, 4, -6]]],
      rotations: [[[0, 0, 0, 1]], [[0, 0, Math.SQRT1_2, Math.SQRT1_2]]],
    });
    const positions = new Float32Array(3);
    const rotations = new Float32Array(4);
    poseAt(motion, 0.5, positions, rotations);
    expect([...positions].map((value) => Number(value.toFixed(5)))).toEqual([1, 2, -3]);
    // A quarter turn in all: an eighth of a turn half way.
    expect(2 * Math.atan2(rotations[2], rotations[3])).toBeCloseTo(Math.PI / 4, 4);
    expect(Math.hypot(...rotations)).toBeCloseTo(1, 6);
  });
});

describe("frameAt", () => {
  it("finds the frame before, holds at both ends, and takes any time", () => {
    const times = Float32Array.from([0, 0.5, 1, 2]);
    expect(frameAt(times, -1)).toEqual({ frame: 0, share: 0 });
    expect(frameAt(times, 0.25)).toEqual({ frame: 0, share: 0.5 });
    expect(frameAt(times, 1)).toEqual({ frame: 2, share: 0 });
    expect(frameAt(times, 1.5)).toEqual({ frame: 2, share: 0.5 });
    expect(frameAt(times, 2)).toEqual({ frame: 3, share: 0 });
    expect(frameAt(times, 1e9)).toEqual({ frame: 3, share: 0 });
    expect(frameAt(times, NaN)).toEqual({ frame: 0, share: 0 });
    expect(frameAt(new Float32Array(0), 1)).toEqual({ frame: 0, share: 0 });
  });
});
