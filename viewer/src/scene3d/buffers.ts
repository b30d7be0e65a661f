// Lines, points and instances whose number changes every frame: buffers that grow, and are drawn as far as they are filled.
import {
  BufferAttribute, BufferGeometry, DynamicDrawUsage, InstancedBufferAttribute, InstancedMesh, LineBasicMaterial, LineSegments, type Material,
  type Object3D, Points, PointsMaterial,
} from "three";

export abstract class Filled<T extends Object3D> {
  abstract readonly object: T;
  count = 0;
  set isShown(value: boolean) {
    this.object.visible = value;
  }
}

function growing(capacity: number, needed: number): number {
  return Math.max(needed, 2 * capacity, 64);
}

abstract class Vertices<T extends LineSegments | Points> extends Filled<T> {
  positions = new Float32Array(0);
  colours: Float32Array = new Float32Array(0);

  // Room for this many vertices; what was there is void.
  reserve(vertices: number) {
    this.count = vertices;
    if (3 * vertices <= this.positions.length) return;
    const capacity = growing(this.positions.length / 3, vertices);
    this.positions = new Float32Array(3 * capacity);
    this.colours = new Float32Array(3 * capacity);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute("color", new BufferAttribute(this.colours, 3).setUsage(DynamicDrawUsage));
    this.object.geometry.dispose();
    this.object.geometry = geometry;
  }

  finish() {
    this.object.geometry.setDrawRange(0, this.count);
    if (this.positions.length === 0) return;
    this.object.geometry.attributes.position.needsUpdate = true;
    this.object.geometry.attributes.color.needsUpdate = true;
  }
}

export class GrowingLines extends Vertices<LineSegments> {
  readonly object: LineSegments;
  // Lines inside bodies are seen only if they are drawn over everything.
  constructor(isOnTop = false) {
    super();
    this.object = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, depthTest: !isOnTop, transparent: isOnTop }));
    this.object.renderOrder = isOnTop ? 3 : 0;
    this.object.frustumCulled = false;
  }
}

export class GrowingPoints extends Vertices<Points> {
  readonly object: Points;
  constructor(pixels: number) {
    super();
    const material = new PointsMaterial({ size: pixels, sizeAttenuation: false, vertexColors: true, depthTest: false, transparent: true });
    material.onBeforeCompile = (shader) => {
      shader.fragmentShader = shader.fragmentShader.replace(
        "#include <color_fragment>", "#include <color_fragment>\n  if (length(gl_PointCoord - 0.5) > 0.5) discard; // round",
      );
    };
    this.object = new Points(new BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 3;
  }
}

export class GrowingInstances extends Filled<InstancedMesh> {
  object: InstancedMesh;
  matrices: Float32Array = new Float32Array(0);
  colours: Float32Array = new Float32Array(0);
  constructor(private readonly geometry: BufferGeometry, private readonly material: Material, private readonly parent: Object3D) {
    super();
    this.object = new InstancedMesh(geometry, material, 0);
    parent.add(this.object);
  }

  reserve(count: number) {
    this.count = count;
    if (16 * count <= this.matrices.length) return;
    const capacity = growing(this.matrices.length / 16, count);
    const visible = this.object.visible;
    this.parent.remove(this.object);
    this.object.dispose();
    this.object = new InstancedMesh(this.geometry, this.material, capacity);
    this.object.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * capacity), 3);
    this.object.frustumCulled = false;
    this.object.visible = visible;
    this.matrices = this.object.instanceMatrix.array as Float32Array;
    this.colours = this.object.instanceColor.array as Float32Array;
    this.parent.add(this.object);
  }

  finish() {
    this.object.count = this.count;
    if (this.matrices.length === 0) return;
    this.object.instanceMatrix.needsUpdate = true;
    this.object.instanceColor!.needsUpdate = true;
  }
}

// A matrix whose third column is a vector, with the other two at right angles to it, of a given length: for arrows and cones.
export function writeAlong(out: Float32Array, i: number, at: ArrayLike<number>, along: ArrayLike<number>, width: number) {
  const length = Math.hypot(along[0], along[1], along[2]) || 1;
  const [x, y, z] = [along[0] / length, along[1] / length, along[2] / length];
  // Any vector across: e × z with the axis e that is least along it.
  let [ux, uy, uz] = Math.abs(x) < 0.6 ? [0, -z, y] : [z, 0, -x];
  const across = Math.hypot(ux, uy, uz);
  [ux, uy, uz] = [ux / across, uy / across, uz / across];
  const m = 16 * i;
  out.set([ux * width, uy * width, uz * width, 0], m);
  out.set([(y * uz - z * uy) * width, (z * ux - x * uz) * width, (x * uy - y * ux) * width, 0], m + 4);
  out.set([along[0], along[1], along[2], 0], m + 8);
  out.set([at[0], at[1], at[2], 1], m + 12);
}
