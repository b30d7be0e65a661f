// The motion inside a replay file (docs/lab-protocol.md, "The replay file"): decoded whole into whole numbers, so that any
// moment can be shown at once.
import { ProtocolError, kMaximumSlot } from "./protocol";

const kMagic = 0x544f4d43; // "CMOT"
const kVersion = 1;
const kHeaderBytes = 24;
const kRotationUnit = 1 / 32767;
const kComponents = 7; // px, py, pz, qx, qy, qz, qw
// A file that claims more than this is damaged, or too much for a browser: 7 numbers of 4 bytes each.
const kMaximumPoses = 60_000_000;

export interface Motion {
  bodies: number;
  frames: number;
  resolution: number; // m
  slots: Uint32Array;
  times: Float32Array; // s
  // For each frame, for each of the 7 components, for each body.
  values: Int32Array;
}

// LEB128 numbers, one after the other.
class Varints {
  constructor(private readonly bytes: Uint8Array, private offset: number) {}

  // Zigzag: 0, -1, 1, -2, 2 ... are 0, 1, 2, 3, 4 ... Sums and differences wrap at 32 bits like those of the writer.
  next(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (this.offset >= this.bytes.length) throw new ProtocolError("the motion is cut off");
      const byte = this.bytes[this.offset++];
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (value >>> 1) ^ -(value & 1);
    }
    throw new ProtocolError("the motion is damaged: a number of more than 32 bits");
  }
  isAtEnd(): boolean {
    return this.offset === this.bytes.length;
  }
}

export function decodeMotion(bytes: Uint8Array): Motion {
  if (bytes.length < kHeaderBytes) throw new ProtocolError("the motion is cut off");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== kMagic) throw new ProtocolError("the motion does not begin as one should");
  if (view.getUint32(4, true) !== kVersion) {
    throw new ProtocolError(`the motion is of version ${view.getUint32(4, true)}; this page reads version ${kVersion}`);
  }
  const bodies = view.getUint32(8, true);
  const frames = view.getUint32(12, true);
  const resolution = view.getFloat64(16, true);
  if (!(resolution > 0 && resolution < 1e6)) throw new ProtocolError(`the motion's resolution is ${resolution} m`);
  if (bodies > kMaximumSlot || bodies * frames > kMaximumPoses) {
    throw new ProtocolError(`the motion claims ${bodies} bodies and ${frames} frames, which is too much to show`);
  }
  const start = kHeaderBytes + 4 * bodies + 4 * frames;
  // Each number takes at least a byte.
  if (bytes.length < start + kComponents * bodies * frames) throw new ProtocolError("the motion is cut off");

  const slots = new Uint32Array(bodies);
  for (let k = 0; k < bodies; ++k) {
    slots[k] = view.getUint32(kHeaderBytes + 4 * k, true);
    if (slots[k] >= kMaximumSlot) throw new ProtocolError(`the motion moves a body in slot ${slots[k]}`);
  }
  const times = new Float32Array(frames);
  for (let k = 0; k < frames; ++k) {
    times[k] = view.getFloat32(kHeaderBytes + 4 * bodies + 4 * k, true);
    if (!Number.isFinite(times[k]) || (k > 0 && times[k] < times[k - 1])) throw new ProtocolError("the motion's times do not rise");
  }
  const stride = kComponents * bodies;
  const values = new Int32Array(stride * frames);
  const numbers = new Varints(bytes, start);
  for (let k = 0; k < stride * frames; ++k) values[k] = (k < stride ? 0 : values[k - stride]) + numbers.next();
  if (!numbers.isAtEnd()) throw new ProtocolError("the motion is longer than it says");
  return { bodies, frames, resolution, slots, times, values };
}

// The frame that is shown at a time, and how far the next one has come (0 to 1).
export function frameAt(times: Float32Array, time: number): { frame: number; share: number } {
  const last = times.length - 1;
  if (last < 0 || !(time > times[0])) return { frame: 0, share: 0 };
  if (time >= times[last]) return { frame: last, share: 0 };
  let low = 0;
  let high = last; // times[low] <= time < times[high]
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  return { frame: low, share: (time - times[low]) / (times[high] - times[low]) };
}

// Writes the poses at a time: linear between frames, rotations by the normalised line (the writer chose the nearer signs).
export function poseAt(motion: Motion, time: number, positions: Float32Array, rotations: Float32Array): number {
  const { bodies: n, values, resolution, slots } = motion;
  const { frame, share } = frameAt(motion.times, time);
  const from = frame * kComponents * n;
  const to = share > 0 ? from + kComponents * n : from;
  const at = (component: number, body: number) => {
    const a = values[from + component * n + body];
    return a + (values[to + component * n + body] - a) * share;
  };
  for (let body = 0; body < n; ++body) {
    const slot = slots[body];
    for (let c = 0; c < 3; ++c) positions[3 * slot + c] = at(c, body) * resolution;
    const x = at(3, body) * kRotationUnit;
    const y = at(4, body) * kRotationUnit;
    const z = at(5, body) * kRotationUnit;
    const w = at(6, body) * kRotationUnit;
    const length = Math.hypot(x, y, z, w);
    const scale = length > 0 ? 1 / length : 0;
    rotations[4 * slot] = x * scale;
    rotations[4 * slot + 1] = y * scale;
    rotations[4 * slot + 2] = z * scale;
    rotations[4 * slot + 3] = length > 0 ? w * scale : 1;
  }
  return frame;
}

export async function inflateBase64(text: string): Promise<Uint8Array> {
  let packed: string;
  try {
    packed = atob(text.trim());
  } catch {
    throw new ProtocolError("the motion is not base64");
  }
  const bytes = new Uint8Array(packed.length);
  for (let k = 0; k < packed.length; ++k) bytes[k] = packed.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new ProtocolError("the motion is damaged: it cannot be unpacked");
  }
}
