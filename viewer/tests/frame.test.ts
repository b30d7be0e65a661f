import { describe, expect, it } from "vitest";
import { decodeFrame, frameNumber } from "../src/frame";
import { ProtocolError } from "../src/protocol";
import { frameBytes } from "./frame_bytes.mjs";

const kTwo = {
  epoch: 3, number: 77, time: 1.25, step: 75,
  bodies: [
    { slot: 4, position: [1, 2, 3], rotation: [0, 0, 0, 1], flags: 1, island: 0, layer: 2, box: [0, 1, 2, 3, 4, 5] },
    { slot: 9, position: [-0.5, 0.25, 8], rotation: [0.5, 0.5, -0.5, 0.5], flags: 8, island: -1, layer: -1, box: [6, 7, 8, 9, 10, 11] },
  ],
  contacts: [[1, 2, 3, 0, 0, 1, 4, 5, 6, -0.001, 0.5]],
  hasIslands: true,
  hasBoxes: true,
};

describe("decodeFrame", () => {
  it("reads every part where the protocol says it is", () => {
    const frame = decodeFrame(frameBytes(kTwo));
    expect([frame.epoch, frame.number, frame.time, frame.step, frame.count]).toEqual([3, 77, 1.25, 75, 2]);
    expect([...frame.slots]).toEqual([4, 9]);
    expect([...frame.positions]).toEqual([1, 2, 3, -0.5, 0.25, 8]);
    expect([...frame.rotations]).toEqual([0, 0, 0, 1, 0.5, 0.5, -0.5, 0.5]);
    expect([...frame.flags]).toEqual([1, 8]);
    expect([...frame.contacts!].map((value) => Number(value.toFixed(6)))).toEqual(kTwo.contacts[0]);
    expect([...frame.islands!]).toEqual([0, -1]);
    expect([...frame.layers!]).toEqual([2, -1]);
    expect([...frame.boxes!]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it("reads a frame without bodies and without parts", () => {
    const frame = decodeFrame(frameBytes({ bodies: [] }));
    expect([frame.count, frame.contacts, frame.islands, frame.boxes]).toEqual([0, null, null, null]);
  });

  it("refuses a frame cut off at any byte, and one with a byte too many", () => {
    const whole = frameBytes(kTwo);
    for (let length = 0; length < whole.byteLength; ++length) {
      expect(() => decodeFrame(whole.slice(0, length)), `length ${length}`).toThrow();
    }
    const longer = new Uint8Array(whole.byteLength + 4);
    longer.set(new Uint8Array(whole));
    expect(() => decodeFrame(longer.buffer)).toThrow(ProtocolError);
  });

  it("refuses counts that cannot be, without allocating for them", () => {
    for (const [offset, value] of [[28, 0xffffffff], [28, 1 << 20], [4, 8], [4, 0xffffffff]]) {
      const buffer = frameBytes(kTwo);
      new DataView(buffer).setUint32(offset, value, true);
      expect(() => decodeFrame(buffer)).toThrow(ProtocolError);
    }
    const contacts = frameBytes({ bodies: [], contacts: [] });
    new DataView(contacts).setUint32(32, 0xffffffff, true);
    expect(() => decodeFrame(contacts)).toThrow(/cut off/);
  });

  it("refuses numbers that are not finite and slots that are too high", () => {
    for (const bad of [NaN, Infinity, -Infinity]) {
      const buffer = frameBytes(kTwo);
      new DataView(buffer).setFloat32(32 + 8, bad, true); // the first position
      expect(() => decodeFrame(buffer)).toThrow(/not finite/);
    }
    const slot = frameBytes(kTwo);
    new DataView(slot).setUint32(32, 0x7fffffff, true);
    expect(() => decodeFrame(slot)).toThrow(/slot/);
    const time = frameBytes(kTwo);
    new DataView(time).setFloat64(16, NaN, true);
    expect(() => decodeFrame(time)).toThrow(/time/);
  });

  it("gives a frame or a ProtocolError for random bytes", () => {
    let state = 12345;
    const random = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32;
    const whole = new Uint8Array(frameBytes(kTwo));
    let refused = 0;
    for (let round = 0; round < 5000; ++round) {
      const bytes = whole.slice(0, Math.floor(random() * (whole.length + 1)));
      for (let flips = 0; flips < 4; ++flips) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      try {
        const frame = decodeFrame(bytes.buffer);
        expect(frame.positions.length).toBe(3 * frame.count);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolError);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(4000);
  });
});

describe("frameNumber", () => {
  it("is known for the acknowledgement also if the rest is damaged", () => {
    const whole = frameBytes(kTwo);
    expect(frameNumber(whole)).toBe(77);
    expect(frameNumber(whole.slice(0, 40))).toBe(77);
    expect(frameNumber(whole.slice(0, 31))).toBeNull();
    expect(frameNumber(new ArrayBuffer(64))).toBeNull();
  });
});
