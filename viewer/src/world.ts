// The bodies that the page knows, where they are, and what the newest frame says about contacts.
import type { Frame } from "./frame";
import { Poses } from "./poses";
import type { Body, Scene, Vec3 } from "./protocol";
import { type HullMesh, boundingRadius, collectHulls, rotate } from "./scene3d/parts";

export class World {
  readonly bodies = new Map<number, Body>(); // by slot
  readonly poses = new Poses();
  readonly hulls = new Map<string, HullMesh>();
  radii = new Float32Array(0); // m, by slot
  hidden = new Uint8Array(0); // by slot: 1 for bodies of a replay that have not come yet
  frame: Frame | null = null; // the newest one
  private previous: Frame | null = null; // the one before
  speedOverride: ((slot: number) => number | null) | null = null; // a replay knows speeds from its motion
  isStale = true; // the set of bodies changed since it was drawn

  load(scene: Scene) {
    this.bodies.clear();
    this.hulls.clear();
    this.poses.clear();
    this.radii = new Float32Array(0);
    this.hidden = new Uint8Array(0);
    this.frame = this.previous = null;
    this.change(scene.bodies, []);
  }

  // Removals come first: their slots may be used again at once.
  change(add: Body[], remove: number[]) {
    for (const slot of remove) this.bodies.delete(slot);
    collectHulls(add, this.hulls);
    this.poses.add(add);
    if (this.radii.length < this.poses.capacity) {
      const radii = new Float32Array(this.poses.capacity);
      radii.set(this.radii);
      this.radii = radii;
      const hidden = new Uint8Array(this.poses.capacity);
      hidden.set(this.hidden);
      this.hidden = hidden;
    }
    for (const body of add) {
      this.bodies.set(body.slot, body);
      this.radii[body.slot] = boundingRadius(body, this.hulls);
      this.hidden[body.slot] = 0;
    }
    this.isStale = true;
  }

  take(frame: Frame, now: number) {
    this.previous = this.frame;
    this.frame = frame;
    this.poses.take(frame, now);
  }

  // m, relative to the scene's origin: a point that is fixed in a body, where it is shown.
  pointOf(slot: number, local: ArrayLike<number>): Vec3 {
    const { positions, rotations } = this.poses.shown;
    const turned = rotate(rotations, local, 4 * slot);
    return turned.map((value, k) => value + positions[3 * slot + k]) as Vec3;
  }
  centerOf(slot: number): Vec3 {
    return this.pointOf(slot, this.bodies.get(slot)?.center ?? [0, 0, 0]);
  }

  // m/s of a body's frame, from the last two frames; null if they do not tell.
  speedOf(slot: number): number | null {
    if (this.speedOverride !== null) return this.speedOverride(slot);
    const now = this.frame;
    const before = this.previous;
    if (now === null || before === null || before.epoch !== now.epoch || !(now.time > before.time)) return null;
    const a = before.slots.indexOf(slot);
    const b = now.slots.indexOf(slot);
    if (a < 0 || b < 0) return null;
    const change = [0, 1, 2].map((k) => now.positions[3 * b + k] - before.positions[3 * a + k]);
    return Math.hypot(change[0], change[1], change[2]) / (now.time - before.time);
  }
}
