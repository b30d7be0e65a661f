// The binary frames: one moment of the motion each. The arrays of a frame are views of the received bytes, nothing is copied.
// They are little-endian, as is every machine that browsers run on.
import { ProtocolError, kMaximumSlot } from "./protocol";

const kMagic = 0x4e524143; // "CARN"
const kHeaderBytes = 32;
export const kContactFloats = 11; // point 3, normal 3, impulse 3, gap, friction

export const Flags = { asleep: 1, quarantined: 2, kinematic: 4, pinned: 8 } as const;
const Parts = { contacts: 1, islands: 2, boxes: 4 } as const;

export interface Frame {
  epoch: number;
  number: number;
  time: number; // s
  step: number;
  count: number; // bodies
  slots: Uint32Array;
  positions: Float32Array; // m, 3 for each body
  rotations: Float32Array; // x, y, z, w for each body
  flags: Uint8Array;
  contacts: Float32Array | null; // kContactFloats for each
  islands: Int32Array | null;
  layers: Int32Array | null;
  boxes: Float32Array | null; // m: lower 3, upper 3 for each body
}

// The number of a frame, for the acknowledgement, also if the rest of it is broken; null if it is no frame at all.
export function frameNumber(buffer: ArrayBuffer): number | null {
  if (buffer.byteLength < kHeaderBytes) return null;
  const view = new DataView(buffer);
  return view.getUint32(0, true) === kMagic ? view.getUint32(12, true) : null;
}

// A sum with one part that is not finite is not finite, and zero times anything finite is zero.
function allFinite(values: Float32Array): boolean {
  let sum = 0;
  for (let k = 0; k < values.length; ++k) sum += values[k] * 0;
  return sum === 0;
}

class Reader {
  private offset = kHeaderBytes;
  constructor(private readonly buffer: ArrayBuffer) {}

  // Where the next part starts, if it fits.
  private take(bytes: number): number {
    const start = this.offset;
    const end = start + bytes;
    if (end > this.buffer.byteLength) {
      throw new ProtocolError(`a frame of ${this.buffer.byteLength} bytes is cut off: it should have at least ${end}`);
    }
    this.offset = end;
    return start;
  }
  u32(count: number): Uint32Array {
    return new Uint32Array(this.buffer, this.take(4 * count), count);
  }
  i32(count: number): Int32Array {
    return new Int32Array(this.buffer, this.take(4 * count), count);
  }
  f32(count: number): Float32Array {
    const values = new Float32Array(this.buffer, this.take(4 * count), count);
    if (!allFinite(values)) throw new ProtocolError("a frame holds numbers that are not finite");
    return values;
  }
  u8(count: number): Uint8Array {
    return new Uint8Array(this.buffer, this.take((count + 3) & ~3), count);
  }
  finish() {
    if (this.offset !== this.buffer.byteLength) {
      throw new ProtocolError(`a frame has ${this.buffer.byteLength} bytes instead of ${this.offset}`);
    }
  }
}

export function decodeFrame(buffer: ArrayBuffer): Frame {
  if (frameNumber(buffer) === null) throw new ProtocolError(`${buffer.byteLength} bytes that are no frame`);
  const view = new DataView(buffer);
  const parts = view.getUint32(4, true);
  if (parts > 7) throw new ProtocolError(`a frame says that it has parts (${parts}) that this page does not know`);
  const count = view.getUint32(28, true);
  if (count > kMaximumSlot) throw new ProtocolError(`a frame of ${count} bodies; at most ${kMaximumSlot} are possible`);
  const time = view.getFloat64(16, true);
  if (!Number.isFinite(time)) throw new ProtocolError("the time of a frame is not finite");

  const reader = new Reader(buffer);
  const slots = reader.u32(count);
  for (let k = 0; k < count; ++k) {
    if (slots[k] >= kMaximumSlot) throw new ProtocolError(`a frame moves a body in slot ${slots[k]}; the last possible is ${kMaximumSlot - 1}`);
  }
  const positions = reader.f32(3 * count);
  const rotations = reader.f32(4 * count);
  const flags = reader.u8(count);
  let contacts: Float32Array | null = null;
  if (parts & Parts.contacts) contacts = reader.f32(kContactFloats * reader.u32(1)[0]);
  const islands = parts & Parts.islands ? reader.i32(count) : null;
  const layers = parts & Parts.islands ? reader.i32(count) : null;
  const boxes = parts & Parts.boxes ? reader.f32(6 * count) : null;
  reader.finish();
  return {
    epoch: view.getUint32(8, true), number: view.getUint32(12, true), time, step: view.getUint32(24, true), count,
    slots, positions, rotations, flags, contacts, islands, layers, boxes,
  };
}
