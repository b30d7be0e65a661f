// Writes the motion of a replay file from the words of docs/lab-protocol.md, without the page's own code.
import { deflateSync } from "node:zlib";

// spec: slots, times (s), resolution (m), positions[frame][body] of 3, rotations[frame][body] of 4
export function motionBytes(spec) {
  const head = Buffer.alloc(24 + 4 * spec.slots.length + 4 * spec.times.length);
  head.write("CMOT", 0, "latin1");
  head.writeUInt32LE(1, 4);
  head.writeUInt32LE(spec.slots.length, 8);
  head.writeUInt32LE(spec.times.length, 12);
  head.writeDoubleLE(spec.resolution, 16);
  spec.slots.forEach((slot, k) => head.writeUInt32LE(slot, 24 + 4 * k));
  spec.times.forEach((time, k) => head.writeFloatLE(time, 24 + 4 * spec.slots.length + 4 * k));
  const bytes = [];
  const varint = (change) => {
    let left = change >= 0 ? BigInt(change) * 2n : BigInt(-change) * 2n - 1n; // zigzag
    while (left >= 128n) {
      bytes.push(Number(left % 128n) + 128);
      left /= 128n;
    }
    bytes.push(Number(left));
  };
  const before = spec.slots.map(() => [0, 0, 0, 0, 0, 0, 0]);
  spec.times.forEach((_time, frame) => {
    const now = spec.slots.map((_slot, body) => {
      const place = spec.positions[frame][body].map((value) => Math.round(value / spec.resolution));
      let turn = spec.rotations[frame][body].map((value) => Math.round(value * 32767));
      const dot = turn.reduce((sum, value, k) => sum + value * before[body][3 + k], 0);
      if (dot < 0) turn = turn.map((value) => -value);
      return [...place, ...turn];
    });
    for (let component = 0; component < 7; ++component) {
      spec.slots.forEach((_slot, body) => varint(now[body][component] - before[body][component]));
    }
    now.forEach((values, body) => (before[body] = values));
  });
  return Buffer.concat([head, Buffer.from(bytes)]);
}

export function motionText(spec) {
  return deflateSync(motionBytes(spec)).toString("base64");
}
