// A replay: the motion is in the page itself. Time goes on by itself, or where the slider puts it.
import { type Motion, decodeMotion, frameAt, inflateBase64, poseAt } from "./motion";
import type { Player } from "./player";
import { ProtocolError, type Scene } from "./protocol";
import { readScene } from "./read_message";
import type { World } from "./world";

export interface ReplayData {
  scene: Scene;
  series: Record<string, unknown>;
  report: unknown;
  motion: Motion;
}

// Null if this page has no replay in it.
export async function readReplay(page: Document): Promise<ReplayData | null> {
  const text = page.getElementById("cairn-replay")?.textContent;
  const packed = page.getElementById("cairn-motion")?.textContent;
  if (text == null || packed == null) return null;
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new ProtocolError("the description of the scene is damaged");
  }
  const scene = readScene(parsed.scene);
  const motion = decodeMotion(await inflateBase64(packed));
  if (motion.frames === 0) throw new ProtocolError("the motion has no frames");
  return { scene, motion, series: (parsed.series ?? {}) as Record<string, unknown>, report: parsed.report ?? null };
}

export class Replay implements Player {
  time: number; // s
  speed = 1;
  isPlaying = false;
  isLooping = false;
  readonly start: number; // s
  readonly end: number; // s
  private lastTick: number | null = null; // ms
  private frame = -1;
  private isMoved = true;

  constructor(private readonly motion: Motion, private readonly world: World, private readonly changed: () => void) {
    this.start = motion.times[0];
    this.end = motion.times[motion.frames - 1];
    this.time = this.start;
    world.speedOverride = (slot) => this.speedOf(slot);
  }

  toggle() {
    this.isPlaying = !this.isPlaying;
    if (this.isPlaying && this.time >= this.end) this.seek(this.start);
    this.lastTick = null;
    this.changed();
  }

  step(count: number) {
    this.isPlaying = false;
    const { times } = this.motion;
    const { frame, share } = frameAt(times, this.time);
    // From between two frames, one step back leads to the earlier of them.
    const next = frame + count + (count < 0 && share > 0 ? 1 : 0);
    this.seek(times[Math.min(Math.max(next, 0), times.length - 1)]);
  }

  restart() {
    this.seek(this.start);
  }

  setSpeed(speed: number) {
    this.speed = speed > 0 ? speed : 4;
    this.changed();
  }

  seek(time: number) {
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.isMoved = true;
    this.changed();
  }

  // Moves the bodies; returns whether there is something new to draw.
  beforeFrame(nowMs: number): boolean {
    const passed = this.lastTick === null ? 0 : Math.min((nowMs - this.lastTick) / 1000, 0.25);
    this.lastTick = nowMs;
    if (this.isPlaying && passed > 0) {
      this.time += passed * this.speed;
      if (this.time >= this.end) {
        this.time = this.isLooping && this.end > this.start ? this.start : this.end;
        this.isPlaying = this.isLooping;
      }
      this.isMoved = true;
      this.changed();
    }
    if (!this.isMoved) return false;
    this.isMoved = false;
    const { positions, rotations } = this.world.poses.shown;
    const frame = poseAt(this.motion, this.time, positions, rotations);
    if (frame !== this.frame) {
      this.frame = frame;
      for (const body of this.world.bodies.values()) this.world.hidden[body.slot] = body.appears > frame ? 1 : 0;
    }
    return true;
  }

  // m/s, between the two frames around this moment.
  private speedOf(slot: number): number | null {
    const { slots, times, values, bodies, frames, resolution } = this.motion;
    const body = slots.indexOf(slot);
    if (body < 0 || frames < 2) return null;
    const from = Math.min(frameAt(times, this.time).frame, frames - 2);
    const passed = times[from + 1] - times[from];
    if (!(passed > 0)) return null;
    const change = [0, 1, 2].map((c) => values[((from + 1) * 7 + c) * bodies + body] - values[(from * 7 + c) * bodies + body]);
    return (Math.hypot(change[0], change[1], change[2]) * resolution) / passed;
  }
}
