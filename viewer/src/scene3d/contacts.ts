// What happens at contacts: where they are, the impulses that they passed on, and the friction cones that bound those.
import { ConeGeometry, CylinderGeometry, DoubleSide, Group, MeshBasicMaterial } from "three";
import { kContactFloats } from "../frame";
import type { Overlays } from "../store";
import { GrowingInstances, GrowingLines, GrowingPoints, writeAlong } from "./buffers";

const kMostArrows = 20_000;
const kMostCones = 5_000;
const kArrowLength = 0.16; // of the scene's radius: what an impulse of the usual size gets
const kSlidingShare = 0.99; // of the cone: friction this near to its bound is sliding

const kTouching = [0.1, 0.75, 0.35]; // linear colours
const kOpen = [0.9, 0.7, 0.1];
const kDeep = [0.95, 0.1, 0.1];
const kArrow = [0.93, 0.13, 0.32];
const kSticking = [0.15, 0.45, 0.95];
const kSliding = [0.98, 0.4, 0.05];

// N s: of all impulses that are not zero, the one that 90 % are below; arrows are scaled by it.
export function usualImpulse(contacts: Float32Array): number {
  const sizes: number[] = [];
  const count = contacts.length / kContactFloats;
  const stride = Math.max(1, Math.floor(count / 512));
  for (let k = 0; k < count; k += stride) {
    const at = kContactFloats * k;
    const size = Math.hypot(contacts[at + 6], contacts[at + 7], contacts[at + 8]);
    if (size > 0) sizes.push(size);
  }
  sizes.sort((a, b) => a - b);
  return sizes.length === 0 ? 0 : sizes[Math.floor(0.9 * (sizes.length - 1))];
}

export class ContactView {
  readonly group = new Group();
  private readonly points = new GrowingPoints(5);
  private readonly normals = new GrowingLines();
  private readonly shafts: GrowingInstances;
  private readonly heads: GrowingInstances;
  private readonly cones: GrowingInstances;
  private usual = 0; // N s, smoothed so that arrows do not pump

  constructor() {
    // Few triangles each: a large scene has thousands of them.
    const solid = new MeshBasicMaterial({ depthTest: false, transparent: true });
    this.shafts = new GrowingInstances(new CylinderGeometry(1, 1, 1, 3, 1, true).translate(0, 0.5, 0).rotateX(Math.PI / 2), solid, this.group);
    this.heads = new GrowingInstances(new ConeGeometry(1, 1, 4, 1, true).translate(0, 0.5, 0).rotateX(Math.PI / 2), solid, this.group);
    // A cone with its tip at 0, opening along z, of radius 1 at height 1.
    const cone = new ConeGeometry(1, 1, 10, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
    const glass = new MeshBasicMaterial({ transparent: true, opacity: 0.35, side: DoubleSide, depthWrite: false });
    this.cones = new GrowingInstances(cone, glass, this.group);
    this.group.add(this.points.object, this.normals.object);
  }

  clear() {
    this.usual = 0;
    this.update(new Float32Array(0), { contacts: false, impulses: false, cones: false }, 1);
  }

  update(contacts: Float32Array, shown: Pick<Overlays, "contacts" | "impulses" | "cones">, radius: number) {
    const count = contacts.length / kContactFloats;
    this.points.isShown = this.normals.isShown = shown.contacts;
    if (shown.contacts) this.drawPoints(contacts, count, 0.02 * radius);
    this.shafts.isShown = this.heads.isShown = shown.impulses;
    if (shown.impulses) this.drawImpulses(contacts, Math.min(count, kMostArrows), radius);
    this.cones.isShown = shown.cones;
    if (shown.cones) this.drawCones(contacts, Math.min(count, kMostCones), 0.035 * radius);
  }

  private drawPoints(contacts: Float32Array, count: number, length: number) {
    this.points.reserve(count);
    this.normals.reserve(2 * count);
    for (let k = 0; k < count; ++k) {
      const at = kContactFloats * k;
      const gap = contacts[at + 9];
      const colour = gap > 1e-4 ? kOpen : gap < -2e-3 ? kDeep : kTouching;
      for (let c = 0; c < 3; ++c) {
        this.points.positions[3 * k + c] = this.normals.positions[6 * k + c] = contacts[at + c];
        this.normals.positions[6 * k + 3 + c] = contacts[at + c] + length * contacts[at + 3 + c];
        this.points.colours[3 * k + c] = this.normals.colours[6 * k + c] = this.normals.colours[6 * k + 3 + c] = colour[c];
      }
    }
    this.points.finish();
    this.normals.finish();
  }

  private drawImpulses(contacts: Float32Array, count: number, radius: number) {
    const usual = usualImpulse(contacts);
    this.usual = this.usual > 0 ? this.usual + 0.1 * (usual - this.usual) : usual;
    const scale = this.usual > 0 ? (kArrowLength * radius) / this.usual : 0;
    const longest = 5 * kArrowLength * radius;
    this.shafts.reserve(count);
    this.heads.reserve(count);
    for (let k = 0; k < count; ++k) {
      const at = kContactFloats * k;
      let along = [6, 7, 8].map((c) => scale * contacts[at + c]);
      const length = Math.hypot(along[0], along[1], along[2]);
      if (length > longest) along = along.map((value) => (value * longest) / length);
      const width = Math.min(0.004 * radius, 0.08 * length);
      const head = Math.min(4 * width, 0.4 * length);
      const share = length > 0 ? head / Math.min(length, longest) : 0;
      const from = [contacts[at], contacts[at + 1], contacts[at + 2]];
      writeAlong(this.shafts.matrices, k, from, along.map((value) => value * (1 - share)), width);
      const neck = from.map((value, c) => value + along[c] * (1 - share));
      writeAlong(this.heads.matrices, k, neck, along.map((value) => value * share), 2.4 * width);
      this.shafts.colours.set(kArrow, 3 * k);
      this.heads.colours.set(kArrow, 3 * k);
    }
    this.shafts.finish();
    this.heads.finish();
  }

  private drawCones(contacts: Float32Array, count: number, height: number) {
    this.cones.reserve(count);
    for (let k = 0; k < count; ++k) {
      const at = kContactFloats * k;
      const normal = [contacts[at + 3], contacts[at + 4], contacts[at + 5]];
      const impulse = [contacts[at + 6], contacts[at + 7], contacts[at + 8]];
      const friction = Math.max(contacts[at + 10], 0);
      const pressure = Math.abs(impulse[0] * normal[0] + impulse[1] * normal[1] + impulse[2] * normal[2]);
      const size = Math.hypot(impulse[0], impulse[1], impulse[2]);
      const across = Math.sqrt(Math.max(size * size - pressure * pressure, 0));
      const isSliding = pressure > 0 && across >= kSlidingShare * friction * pressure;
      const along = normal.map((value) => value * height);
      writeAlong(this.cones.matrices, k, [contacts[at], contacts[at + 1], contacts[at + 2]], along, Math.min(friction, 3) * height);
      this.cones.colours.set(isSliding ? kSliding : kSticking, 3 * k);
    }
    this.cones.finish();
  }
}
