// Where every body is: what the page shows, which follows what the server sent. A slot is the index into all arrays.
// On a new frame the shown pose sets out from where it is and reaches the frame's as long after as frames are apart: motion is
// smooth at any rate, and the picture is never more than one frame late.
import type { Frame } from "./frame";
import type { Body } from "./protocol";

const kShortestInterval = 1 / 120; // s between frames
const kLongestInterval = 0.25; // s
const kIntervalWeight = 0.2; // of the newest gap in the running mean

// from + (to - from) * share for positions; the normalised line on the nearer side for rotations.
export function blendPoses(
  slots: ArrayLike<number>, share: number, from: PoseArrays, to: PoseArrays, out: PoseArrays,
) {
  for (let k = 0; k < slots.length; ++k) {
    const p = 3 * slots[k];
    for (let c = p; c < p + 3; ++c) out.positions[c] = from.positions[c] + (to.positions[c] - from.positions[c]) * share;
    const q = 4 * slots[k];
    const a = from.rotations;
    const b = to.rotations;
    const dot = a[q] * b[q] + a[q + 1] * b[q + 1] + a[q + 2] * b[q + 2] + a[q + 3] * b[q + 3];
    const near = dot < 0 ? -share : share;
    const far = 1 - share;
    const x = a[q] * far + b[q] * near;
    const y = a[q + 1] * far + b[q + 1] * near;
    const z = a[q + 2] * far + b[q + 2] * near;
    const w = a[q + 3] * far + b[q + 3] * near;
    const length = Math.sqrt(x * x + y * y + z * z + w * w);
    const ok = length > 1e-6;
    out.rotations[q] = ok ? x / length : 0;
    out.rotations[q + 1] = ok ? y / length : 0;
    out.rotations[q + 2] = ok ? z / length : 0;
    out.rotations[q + 3] = ok ? w / length : 1;
  }
}

export class PoseArrays {
  positions: Float32Array; // m, relative to the scene's origin
  rotations: Float32Array;
  constructor(slots: number) {
    this.positions = new Float32Array(3 * slots);
    this.rotations = new Float32Array(4 * slots);
  }
  set(body: Body) {
    this.positions.set(body.position, 3 * body.slot);
    this.rotations.set(body.rotation, 4 * body.slot);
  }
  grown(slots: number): PoseArrays {
    const larger = new PoseArrays(slots);
    larger.positions.set(this.positions);
    larger.rotations.set(this.rotations);
    return larger;
  }
}

export class Poses {
  shown = new PoseArrays(0);
  target = new PoseArrays(0);
  flags = new Uint8Array(0);
  islands = new Int32Array(0);
  layers = new Int32Array(0);
  private from = new PoseArrays(0);
  private moving: Uint32Array = new Uint32Array(0);
  private arrival = 0; // s, when the newest frame came
  private interval = 1 / 60; // s between frames, running mean
  private isSettled = true;

  get capacity(): number {
    return this.flags.length;
  }

  clear() {
    this.shown = this.target = this.from = new PoseArrays(0);
    this.flags = new Uint8Array(0);
    this.islands = this.layers = new Int32Array(0);
    this.moving = new Uint32Array(0);
    this.isSettled = true;
  }

  add(bodies: Body[]) {
    let highest = this.capacity - 1;
    for (const body of bodies) highest = Math.max(highest, body.slot);
    if (highest >= this.capacity) this.grow(Math.max(highest + 1, Math.ceil(1.5 * this.capacity)));
    for (const body of bodies) {
      for (const poses of [this.shown, this.target, this.from]) poses.set(body);
      this.flags[body.slot] = 0;
      this.islands[body.slot] = this.layers[body.slot] = -1;
    }
  }

  private grow(slots: number) {
    this.shown = this.shown.grown(slots);
    this.target = this.target.grown(slots);
    this.from = this.from.grown(slots);
    const flags = new Uint8Array(slots);
    flags.set(this.flags);
    this.flags = flags;
    const extend = (old: Int32Array) => {
      const larger = new Int32Array(slots).fill(-1);
      larger.set(old);
      return larger;
    };
    this.islands = extend(this.islands);
    this.layers = extend(this.layers);
  }

  // Slots that the scene does not have are left alone: the frame may be older than a deletion.
  take(frame: Frame, now: number) {
    const gap = Math.min(Math.max(now - this.arrival, kShortestInterval), kLongestInterval);
    this.interval += (gap - this.interval) * kIntervalWeight;
    this.arrival = now;
    this.isSettled = false;
    this.from.positions.set(this.shown.positions);
    this.from.rotations.set(this.shown.rotations);
    const slots = frame.slots.every((slot) => slot < this.capacity) ? frame.slots : frame.slots.filter((slot) => slot < this.capacity);
    this.moving = slots;
    for (let k = 0; k < frame.count; ++k) {
      const slot = frame.slots[k];
      if (slot >= this.capacity) continue;
      for (let c = 0; c < 3; ++c) this.target.positions[3 * slot + c] = frame.positions[3 * k + c];
      for (let c = 0; c < 4; ++c) this.target.rotations[4 * slot + c] = frame.rotations[4 * k + c];
      this.flags[slot] = frame.flags[k];
      this.islands[slot] = frame.islands ? frame.islands[k] : -1;
      this.layers[slot] = frame.layers ? frame.layers[k] : -1;
    }
  }

  // Moves what is shown; returns whether anything did.
  advance(now: number): boolean {
    if (this.isSettled) return false;
    const share = Math.min(Math.max((now - this.arrival) / this.interval, 0), 1);
    blendPoses(this.moving, share, this.from, this.target, this.shown);
    this.isSettled = share === 1;
    return true;
  }
}
