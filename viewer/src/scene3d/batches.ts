// All bodies, drawn with one call for each kind of solid. The hot path is writeMatrices: plain loops over typed arrays.
import {
  type BufferGeometry, Color, DynamicDrawUsage, Group, InstancedBufferAttribute, InstancedMesh, type Mesh, type PerspectiveCamera,
  StaticDrawUsage,
} from "three";
import type { PoseArrays } from "../poses";
import type { Body } from "../protocol";
import { solidGeometry } from "./geometry";
import type { Graphics } from "./graphics";
import { solidMaterial } from "./materials";
import { MergedMesh } from "./merged";
import { type HullMesh, bodyParts } from "./parts";
import { type Kind, type Light, PlainBodies, unitSolid } from "./plain";
import type { Roundness } from "./quality";

const kLocalFloats = 10; // position 3, rotation 4, scale 3

// Writes the matrix of body pose times local pose times scale, column by column, for each instance.
export function writeMatrices(slots: Int32Array, local: Float32Array, poses: PoseArrays, hidden: Uint8Array, out: Float32Array) {
  const { positions: p, rotations: r } = poses;
  for (let i = 0; i < slots.length; ++i) {
    const slot = slots[i];
    const l = kLocalFloats * i;
    const m = 16 * i;
    const bx = r[4 * slot], by = r[4 * slot + 1], bz = r[4 * slot + 2], bw = r[4 * slot + 3];
    const lx = local[l], ly = local[l + 1], lz = local[l + 2];
    // The local position turned by the body: v + w t + q × t with t = 2 q × v.
    const tx = 2 * (by * lz - bz * ly), ty = 2 * (bz * lx - bx * lz), tz = 2 * (bx * ly - by * lx);
    out[m + 12] = p[3 * slot] + lx + bw * tx + by * tz - bz * ty;
    out[m + 13] = p[3 * slot + 1] + ly + bw * ty + bz * tx - bx * tz;
    out[m + 14] = p[3 * slot + 2] + lz + bw * tz + bx * ty - by * tx;
    out[m + 15] = 1;
    // The product of the two rotations.
    const qx = local[l + 3], qy = local[l + 4], qz = local[l + 5], qw = local[l + 6];
    const x = bw * qx + bx * qw + by * qz - bz * qy;
    const y = bw * qy - bx * qz + by * qw + bz * qx;
    const z = bw * qz + bx * qy - by * qx + bz * qw;
    const w = bw * qw - bx * qx - by * qy - bz * qz;
    const seen = hidden[slot] ? 0 : 1;
    const sx = seen * local[l + 7], sy = seen * local[l + 8], sz = seen * local[l + 9];
    out[m] = (1 - 2 * (y * y + z * z)) * sx;
    out[m + 1] = 2 * (x * y + w * z) * sx;
    out[m + 2] = 2 * (x * z - w * y) * sx;
    out[m + 4] = 2 * (x * y - w * z) * sy;
    out[m + 5] = (1 - 2 * (x * x + z * z)) * sy;
    out[m + 6] = 2 * (y * z + w * x) * sy;
    out[m + 8] = 2 * (x * z + w * y) * sz;
    out[m + 9] = 2 * (y * z - w * x) * sz;
    out[m + 10] = (1 - 2 * (x * x + y * y)) * sz;
  }
}

export type Colouring = (slot: number, out: Float32Array, at: number) => void;

// Some bodies that share a mesh, however they are drawn.
interface Batch {
  mesh: Mesh | null; // its own, if it has one
  slots: Int32Array;
  local: Float32Array;
  isMoving: boolean;
  matrices: Float32Array;
  moved(): void;
  paint(colouring: Colouring): void;
  dispose(): void;
}

type Ingredients = Pick<Batch, "slots" | "local" | "isMoving"> & { geometry: BufferGeometry; solid: string };

function instancedBatch({ slots, local, isMoving, geometry, solid }: Ingredients): Batch {
  const mesh = new InstancedMesh(geometry, solidMaterial(solid), slots.length);
  mesh.instanceMatrix.setUsage(isMoving ? DynamicDrawUsage : StaticDrawUsage);
  const colours = new InstancedBufferAttribute(new Float32Array(3 * slots.length), 3);
  mesh.instanceColor = colours;
  return {
    mesh, slots, local, isMoving, matrices: mesh.instanceMatrix.array as Float32Array,
    moved: () => (mesh.instanceMatrix.needsUpdate = true),
    paint(colouring) {
      for (let i = 0; i < slots.length; ++i) colouring(slots[i], colours.array as Float32Array, 3 * i);
      colours.needsUpdate = true;
    },
    dispose: () => mesh.dispose(),
  };
}

function mergedBatch({ slots, local, isMoving, geometry, solid }: Ingredients): Batch {
  const material = solidMaterial(solid);
  material.vertexColors = true;
  const merged = new MergedMesh(geometry, material, slots.length);
  return {
    mesh: merged.mesh, slots, local, isMoving, matrices: merged.matrices,
    moved: () => merged.move(),
    paint: (colouring) => merged.paint((index, out) => colouring(slots[index], out, 0)),
    dispose: () => {},
  };
}

// One of several that are drawn together.
function plainBatch({ slots, local, isMoving, geometry, solid }: Ingredients, stale: () => void): Batch & Kind {
  const colours = new Float32Array(3 * slots.length);
  return {
    mesh: null, slots, local, isMoving, colours, matrices: new Float32Array(16 * slots.length), solid: unitSolid(geometry, solid),
    moved: stale,
    paint(colouring) {
      for (let i = 0; i < slots.length; ++i) colouring(slots[i], colours, 3 * i);
      stale();
    },
    dispose: () => {},
  };
}

export class Batches {
  readonly group = new Group();
  private batches: Batch[] = [];
  private plain: PlainBodies | null = null;

  constructor(private readonly graphics: Graphics) {}

  // Makes everything anew: cheap enough (milliseconds for thousands) for when bodies come or go.
  build(bodies: Iterable<Body>, hulls: ReadonlyMap<string, HullMesh>, roundness: Roundness, isPlain: boolean) {
    this.clear();
    const found = new Map<string, { slots: number[]; local: number[]; isMoving: boolean; solid: string }>();
    for (const body of bodies) {
      const isMoving = body.kind !== "static";
      for (const part of bodyParts(body)) {
        const key = `${part.solid} ${isMoving}`;
        let entry = found.get(key);
        if (entry === undefined) found.set(key, (entry = { slots: [], local: [], isMoving, solid: part.solid }));
        entry.slots.push(body.slot);
        entry.local.push(...part.position, ...part.rotation, ...part.scale);
      }
    }
    const kinds: Kind[] = [];
    for (const { slots, local, isMoving, solid } of found.values()) {
      const geometry = solidGeometry(solid, slots.length, hulls, roundness);
      if (geometry === null) continue; // a hull that was never described
      const ingredients = { slots: Int32Array.from(slots), local: Float32Array.from(local), isMoving, geometry, solid };
      if (isPlain) {
        const batch = plainBatch(ingredients, () => this.plain !== null && (this.plain.isStale = true));
        kinds.push(batch);
        this.batches.push(batch);
        continue;
      }
      const batch = this.graphics.isSoftware ? mergedBatch(ingredients) : instancedBatch(ingredients);
      if (batch.mesh !== null) {
        batch.mesh.castShadow = batch.mesh.receiveShadow = true;
        batch.mesh.frustumCulled = false;
        this.group.add(batch.mesh);
      }
      this.batches.push(batch);
    }
    if (kinds.length === 0) return;
    this.plain = new PlainBodies(kinds);
    this.group.add(this.plain.group);
  }

  // To be called before the picture is drawn.
  aim(camera: PerspectiveCamera, pixelsHigh: number, dotRadius: number, light: Light) {
    this.plain?.aim(camera, pixelsHigh, dotRadius, light);
  }

  move(poses: PoseArrays, hidden: Uint8Array, onlyMoving: boolean) {
    for (const batch of this.batches) {
      if (onlyMoving && !batch.isMoving) continue;
      writeMatrices(batch.slots, batch.local, poses, hidden, batch.matrices);
      batch.moved();
    }
  }

  paint(colouring: Colouring) {
    for (const batch of this.batches) batch.paint(colouring);
  }

  clear() {
    for (const batch of this.batches) {
      if (batch.mesh !== null) {
        this.group.remove(batch.mesh);
        batch.mesh.geometry.dispose();
        for (const material of [batch.mesh.material].flat()) material.dispose();
      }
      batch.dispose();
    }
    this.batches = [];
    if (this.plain === null) return;
    this.group.remove(this.plain.group);
    this.plain.dispose();
    this.plain = null;
  }
}

// The linear colours of a table of "#rrggbb", by slot.
export function linearColours(bodies: Iterable<Body>, slots: number): Float32Array {
  const colours = new Float32Array(3 * slots);
  const colour = new Color();
  for (const body of bodies) colour.set(body.colour).toArray(colours, 3 * body.slot);
  return colours;
}
