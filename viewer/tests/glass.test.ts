import { describe, expect, it } from "vitest";
import type { Body, Vec3 } from "../src/protocol";
import { Glass, wallsInTheWay } from "../src/scene3d/glass";
import { World } from "../src/world";
import { Vector3 } from "three";

function box(slot: number, kind: "static" | "dynamic", position: Vec3, half: Vec3): Body {
  return {
    slot, kind, name: `box ${slot}`, mass: 1, colour: "#888888", position, rotation: [0, 0, 0, 1], center: [0, 0, 0],
    shapes: [{ type: "box", half, position: [0, 0, 0], rotation: [0, 0, 0, 1] }],
  } as unknown as Body;
}

// A bin with four walls, 4 m wide, and a hundred bodies in it.
function bin(): World {
  const world = new World();
  const walls = [
    box(0, "static", [2.2, 0, 2], [0.2, 2.4, 2]), box(1, "static", [-2.2, 0, 2], [0.2, 2.4, 2]),
    box(2, "static", [0, 2.2, 2], [2, 0.2, 2]), box(3, "static", [0, -2.2, 2], [2, 0.2, 2]),
  ];
  const bodies = Array.from({ length: 100 }, (_, k) => box(4 + k, "dynamic", [(k % 5) - 2, (Math.floor(k / 5) % 5) - 2, 0.5 * Math.floor(k / 25) + 0.3], [0.2, 0.2, 0.2]));
  world.change([...walls, ...bodies], []);
  return world;
}

describe("walls in the way", () => {
  it("are those between the eye and the bodies", () => {
    const world = bin();
    expect([...wallsInTheWay(world, [20, 0, 2], 4)]).toEqual([0]);
    expect([...wallsInTheWay(world, [0, -20, 2], 4)]).toEqual([3]);
    expect([...wallsInTheWay(world, [15, 15, 2], 4)].sort()).toEqual([0, 2]);
    expect(wallsInTheWay(world, [0, 0, 30], 4).size).toBe(0);
    expect(wallsInTheWay(world, [20, 0, 2], 40).size).toBe(0); // too small to matter
  });
  it("are looked through until the eye is elsewhere", () => {
    const world = bin();
    const glass = new Glass();
    expect(glass.update(world, new Vector3(20, 0, 2), 4, 1000, true)).toBe(true);
    expect(glass.unseen(world)[0]).toBe(1);
    expect(glass.unseen(world)[1]).toBe(0);
    expect(glass.group.children.length).toBe(1);
    expect(glass.update(world, new Vector3(20, 0, 2), 4, 2000, false)).toBe(false);
    expect(glass.update(world, new Vector3(0, 0, 30), 4, 3000, false)).toBe(true);
    expect(glass.unseen(world)).toBe(world.hidden);
    expect(glass.group.children.length).toBe(0);
  });
});
