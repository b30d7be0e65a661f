// Which body a ray from the eye hits first. Bounding balls sort out most bodies; the few that are left are tested exactly, as
// unit solids in their own stretched frame.
import type { Body, Vec3 } from "../protocol";
import type { PoseArrays } from "../poses";
import { type HullMesh, bodyParts, rotate } from "./parts";

export interface Ray {
  origin: Vec3;
  direction: Vec3; // of length 1
}

export interface Hit {
  body: Body;
  distance: number; // m along the ray
  point: Vec3; // m
  local: Vec3; // m, in the body's frame
}

const kNone = Infinity;

// All of these return the distance at which the ray enters, or kNone.
export function hitUnitBox(o: Vec3, d: Vec3): number {
  let near = 0;
  let far = Infinity;
  for (let k = 0; k < 3; ++k) {
    if (d[k] === 0) {
      if (Math.abs(o[k]) > 1) return kNone;
      continue;
    }
    const a = (-1 - o[k]) / d[k];
    const b = (1 - o[k]) / d[k];
    near = Math.max(near, Math.min(a, b));
    far = Math.min(far, Math.max(a, b));
  }
  return near <= far ? near : kNone;
}

// The smallest root that is not negative of a t² + 2 b t + c, given c at the start of the ray.
function firstRoot(a: number, b: number, c: number): number {
  if (c <= 0) return 0; // the ray starts inside
  const discriminant = b * b - a * c;
  if (a === 0 || discriminant < 0) return kNone;
  const root = (-b - Math.sqrt(discriminant)) / a;
  return root >= 0 ? root : kNone;
}

export function hitUnitSphere(o: Vec3, d: Vec3): number {
  const dot = (u: Vec3, v: Vec3) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
  return firstRoot(dot(d, d), dot(o, d), dot(o, o) - 1);
}

export function hitUnitCylinder(o: Vec3, d: Vec3): number {
  const side = firstRoot(d[0] * d[0] + d[1] * d[1], o[0] * d[0] + o[1] * d[1], o[0] * o[0] + o[1] * o[1] - 1);
  if (side < kNone && Math.abs(o[2] + side * d[2]) <= 1) return side;
  if (d[2] === 0) return kNone;
  const cap = (-Math.sign(d[2]) - o[2]) / d[2]; // the end that the ray meets from outside
  const x = o[0] + cap * d[0];
  const y = o[1] + cap * d[1];
  return cap >= 0 && x * x + y * y <= 1 ? cap : kNone;
}

export function hitTriangles(o: Vec3, d: Vec3, corners: Float32Array): number {
  let best = kNone;
  for (let t = 0; t < corners.length; t += 9) {
    // Moeller and Trumbore: solve o + t d = a + u e1 + v e2.
    const [e1x, e1y, e1z] = [corners[t + 3] - corners[t], corners[t + 4] - corners[t + 1], corners[t + 5] - corners[t + 2]];
    const [e2x, e2y, e2z] = [corners[t + 6] - corners[t], corners[t + 7] - corners[t + 1], corners[t + 8] - corners[t + 2]];
    const [px, py, pz] = [d[1] * e2z - d[2] * e2y, d[2] * e2x - d[0] * e2z, d[0] * e2y - d[1] * e2x];
    const determinant = e1x * px + e1y * py + e1z * pz;
    if (Math.abs(determinant) < 1e-18) continue;
    const [sx, sy, sz] = [o[0] - corners[t], o[1] - corners[t + 1], o[2] - corners[t + 2]];
    const u = (sx * px + sy * py + sz * pz) / determinant;
    if (u < 0 || u > 1) continue;
    const [qx, qy, qz] = [sy * e1z - sz * e1y, sz * e1x - sx * e1z, sx * e1y - sy * e1x];
    const v = (d[0] * qx + d[1] * qy + d[2] * qz) / determinant;
    if (v < 0 || u + v > 1) continue;
    const distance = (e2x * qx + e2y * qy + e2z * qz) / determinant;
    if (distance >= 0 && distance < best) best = distance;
  }
  return best;
}

const conjugate = (q: ArrayLike<number>, at = 0): number[] => [-q[at], -q[at + 1], -q[at + 2], q[at + 3]];

function hitBody(ray: Ray, body: Body, poses: PoseArrays, hulls: ReadonlyMap<string, HullMesh>): number {
  const { origin, direction } = toBody(ray, body.slot, poses);
  let best = kNone;
  for (const part of bodyParts(body)) {
    const back = conjugate(part.rotation);
    const offset: Vec3 = [origin[0] - part.position[0], origin[1] - part.position[1], origin[2] - part.position[2]];
    const o = rotate(back, offset).map((value, k) => value / part.scale[k]) as Vec3;
    const d = rotate(back, direction).map((value, k) => value / part.scale[k]) as Vec3;
    let distance = kNone;
    if (part.solid === "box") distance = hitUnitBox(o, d);
    else if (part.solid === "sphere") distance = hitUnitSphere(o, d);
    else if (part.solid === "cylinder" || part.solid === "tube") distance = hitUnitCylinder(o, d);
    else distance = hitTriangles(o, d, hulls.get(part.solid)?.corners ?? new Float32Array(0));
    best = Math.min(best, distance);
  }
  return best;
}

function toBody(ray: Ray, slot: number, poses: PoseArrays): Ray {
  const back = conjugate(poses.rotations, 4 * slot);
  const at = 3 * slot;
  const offset = ray.origin.map((value, k) => value - poses.positions[at + k]);
  return { origin: rotate(back, offset), direction: rotate(back, ray.direction) };
}

export function pickBody(
  ray: Ray, bodies: Iterable<Body>, poses: PoseArrays, radii: ArrayLike<number>, hulls: ReadonlyMap<string, HullMesh>,
): Hit | null {
  let best: Body | null = null;
  let distance = kNone;
  const { origin: o, direction: d } = ray;
  for (const body of bodies) {
    const at = 3 * body.slot;
    const x = poses.positions[at] - o[0];
    const y = poses.positions[at + 1] - o[1];
    const z = poses.positions[at + 2] - o[2];
    const along = x * d[0] + y * d[1] + z * d[2];
    const radius = radii[body.slot];
    if (along < -radius || along - radius > distance) continue;
    if (x * x + y * y + z * z - along * along > radius * radius) continue;
    const found = hitBody(ray, body, poses, hulls);
    if (found < distance) {
      distance = found;
      best = body;
    }
  }
  if (best === null) return null;
  const point = o.map((value, k) => value + distance * d[k]) as Vec3;
  const local = toBody({ origin: point, direction: d }, best.slot, poses).origin;
  return { body: best, distance, point, local };
}
