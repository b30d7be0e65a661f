// Walls between the eye and what moves: of those only the outlines are drawn, so that one sees into a bin.
import { Group, LineBasicMaterial, LineSegments, type Vector3 } from "three";
import type { Vec3 } from "../protocol";
import type { World } from "../world";
import { edgesOf } from "./geometry";
import { bodyParts } from "./parts";
import { pickBody } from "./pick";

const kLeastRadius = 0.35; // of the scene's: smaller things hide too little to matter
const kHiddenShare = 0.04; // of the bodies, hidden behind a wall, make it glass
const kProbes = 100; // bodies to try
const kEvery = 250; // ms

// Slots of static bodies that hide others from the eye.
export function wallsInTheWay(world: World, eye: Vec3, sceneRadius: number): Set<number> {
  const bodies = [...world.bodies.values()].filter((body) => world.hidden[body.slot] === 0);
  const moving = bodies.filter((body) => body.kind !== "static");
  const walls = bodies.filter((body) => body.kind === "static" && world.radii[body.slot] >= kLeastRadius * sceneRadius);
  const probes = Math.min(moving.length, kProbes);
  const isHidden = (wall: (typeof walls)[number], probe: Vec3) => {
    const along = probe.map((value, k) => value - eye[k]);
    const distance = Math.hypot(...along);
    if (distance === 0) return false;
    const ray = { origin: eye, direction: along.map((value) => value / distance) as Vec3 };
    const hit = pickBody(ray, [wall], world.poses.shown, world.radii, world.hulls);
    return hit !== null && hit.distance > 0 && hit.distance < distance;
  };
  const found = new Set<number>();
  for (const wall of walls) {
    let hidden = 0;
    for (let k = 0; k < probes; ++k) hidden += isHidden(wall, world.centerOf(moving[Math.floor((k * moving.length) / probes)].slot)) ? 1 : 0;
    if (hidden > kHiddenShare * probes) found.add(wall.slot);
  }
  return found;
}

export class Glass {
  readonly group = new Group();
  slots: ReadonlySet<number> = new Set();
  private readonly material = new LineBasicMaterial({ color: 0x7b858d });
  private checked = -Infinity; // ms

  // Returns whether other walls are glass now. Forgets them all with `isAnew`: bodies came or went.
  update(world: World, eye: Vector3, sceneRadius: number, now: number, isAnew: boolean): boolean {
    if (!isAnew && now - this.checked < kEvery) return false;
    this.checked = now;
    const slots = wallsInTheWay(world, eye.toArray(), sceneRadius);
    if (!isAnew && slots.size === this.slots.size && [...slots].every((slot) => this.slots.has(slot))) return false;
    this.slots = slots;
    this.draw(world);
    return true;
  }

  // The bodies that are not drawn: these, and those that are hidden anyway.
  unseen(world: World): Uint8Array {
    if (this.slots.size === 0) return world.hidden;
    const unseen = world.hidden.slice();
    for (const slot of this.slots) unseen[slot] = 1;
    return unseen;
  }

  private draw(world: World) {
    for (const line of [...this.group.children] as LineSegments[]) {
      line.geometry.dispose();
      this.group.remove(line);
    }
    const { positions, rotations } = world.poses.shown;
    for (const slot of this.slots) {
      const body = world.bodies.get(slot);
      for (const part of body === undefined ? [] : bodyParts(body)) {
        const edges = edgesOf(part, world.hulls, 1);
        if (edges === null) continue;
        const line = new LineSegments(edges, this.material);
        line.position.fromArray(positions, 3 * slot);
        line.quaternion.fromArray(rotations, 4 * slot);
        this.group.add(line);
      }
    }
  }
}
