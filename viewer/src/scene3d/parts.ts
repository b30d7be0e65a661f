// A shape as a few unit solids, each moved, turned and stretched: that is what instanced drawing and picking need.
import type { Body, Shape, Vec3 } from "../protocol";

export type Solid = "box" | "sphere" | "cylinder" | "tube"; // of half extent 1; axis z; a tube is a cylinder without ends

export interface Part {
  solid: Solid | string; // or the key of a hull: "hull 17/0"
  position: readonly number[];
  rotation: readonly number[];
  scale: readonly number[];
}

// Rotates a vector by a unit quaternion (x, y, z, w).
export function rotate(q: ArrayLike<number>, v: ArrayLike<number>, at = 0): Vec3 {
  const [x, y, z, w] = [q[at], q[at + 1], q[at + 2], q[at + 3]];
  const tx = 2 * (y * v[2] - z * v[1]);
  const ty = 2 * (z * v[0] - x * v[2]);
  const tz = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}

export function hullKey(slot: number, shape: number): string {
  return `hull ${slot}/${shape}`;
}

// Planes are not among them: they are drawn as grids.
export function partsOf(shape: Shape, slot: number, index: number): Part[] {
  const { position, rotation } = shape;
  switch (shape.type) {
    case "box":
      return [{ solid: "box", position, rotation, scale: shape.half }];
    case "sphere":
      return [{ solid: "sphere", position, rotation, scale: [shape.radius, shape.radius, shape.radius] }];
    case "ellipsoid":
      return [{ solid: "sphere", position, rotation, scale: shape.radii }];
    case "cylinder":
      return [{ solid: "cylinder", position, rotation, scale: [shape.radius, shape.radius, shape.halfHeight] }];
    case "capsule": {
      // Two balls and a tube: capsules of any proportion share their meshes.
      const ball = [shape.radius, shape.radius, shape.radius];
      const end = (side: number): Part => {
        const offset = rotate(rotation, [0, 0, side * shape.halfHeight]);
        return { solid: "sphere", position: offset.map((value, k) => value + position[k]), rotation, scale: ball };
      };
      const tube = { solid: "tube", position, rotation, scale: [shape.radius, shape.radius, shape.halfHeight] };
      return shape.halfHeight > 0 ? [tube, end(1), end(-1)] : [end(0)];
    }
    case "hull":
      return [{ solid: "same" in shape ? hullKey(shape.same, shape.shape) : hullKey(slot, index), position, rotation, scale: [1, 1, 1] }];
    case "plane":
      return [];
  }
}

export function bodyParts(body: Body): Part[] {
  return body.shapes.flatMap((shape, index) => partsOf(shape, body.slot, index));
}

// m: a ball around the body's origin that holds its shapes; planes do not count.
export function boundingRadius(body: Body, hulls: ReadonlyMap<string, HullMesh>): number {
  let most = 0;
  for (const part of bodyParts(body)) {
    const reach = hulls.get(part.solid)?.reach ?? Math.hypot(part.scale[0], part.scale[1], part.scale[2]);
    most = Math.max(most, Math.hypot(part.position[0], part.position[1], part.position[2]) + reach);
  }
  return most;
}

export interface HullMesh {
  corners: Float32Array; // three corners of each triangle, 9 numbers
  reach: number; // m, of the farthest corner
}

// Hulls are defined by one body and may be used by others, also after that body is gone.
export function collectHulls(bodies: Iterable<Body>, hulls: Map<string, HullMesh>) {
  for (const body of bodies) {
    body.shapes.forEach((shape, index) => {
      if (shape.type !== "hull" || "same" in shape) return;
      const corners = new Float32Array(9 * shape.triangles.length);
      let reach = 0;
      shape.triangles.forEach((triangle, t) => {
        triangle.forEach((corner, k) => {
          const vertex = shape.vertices[corner];
          corners.set(vertex, 9 * t + 3 * k);
          reach = Math.max(reach, Math.hypot(vertex[0], vertex[1], vertex[2]));
        });
      });
      hulls.set(hullKey(body.slot, index), { corners, reach });
    });
  }
}
