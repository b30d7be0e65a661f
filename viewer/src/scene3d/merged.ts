// Bodies of one kind as one plain mesh whose corners the page moves itself. For software that draws each instance as if it were a mesh of
// its own: with SwiftShader an instance costs 0.1 ms, a corner moved here some nanoseconds.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, type Material, Mesh } from "three";

// Corners by the matrix; normals too, with the stretch undone twice (their length does not matter).
export function moveCorners(
  count: number, matrices: Float32Array, corners: ArrayLike<number>, normals: ArrayLike<number>, outCorners: Float32Array, outNormals: Float32Array,
) {
  const size = corners.length;
  for (let i = 0; i < count; ++i) {
    const m = 16 * i;
    const xx = matrices[m], xy = matrices[m + 1], xz = matrices[m + 2];
    const yx = matrices[m + 4], yy = matrices[m + 5], yz = matrices[m + 6];
    const zx = matrices[m + 8], zy = matrices[m + 9], zz = matrices[m + 10];
    const px = matrices[m + 12], py = matrices[m + 13], pz = matrices[m + 14];
    const sx = 1 / (xx * xx + xy * xy + xz * xz || 1), sy = 1 / (yx * yx + yy * yy + yz * yz || 1), sz = 1 / (zx * zx + zy * zy + zz * zz || 1);
    for (let c = 0, out = size * i; c < size; c += 3, out += 3) {
      const x = corners[c], y = corners[c + 1], z = corners[c + 2];
      outCorners[out] = px + xx * x + yx * y + zx * z;
      outCorners[out + 1] = py + xy * x + yy * y + zy * z;
      outCorners[out + 2] = pz + xz * x + yz * y + zz * z;
      const a = normals[c] * sx, b = normals[c + 1] * sy, d = normals[c + 2] * sz;
      outNormals[out] = xx * a + yx * b + zx * d;
      outNormals[out + 1] = xy * a + yy * b + zy * d;
      outNormals[out + 2] = xz * a + yz * b + zz * d;
    }
  }
}

function repeat(values: ArrayLike<number>, count: number): Float32Array {
  const all = new Float32Array(values.length * count);
  for (let k = 0; k < count; ++k) all.set(values, k * values.length);
  return all;
}

export class MergedMesh {
  readonly mesh: Mesh;
  readonly matrices: Float32Array; // 16 numbers for each body, as writeMatrices fills them
  private readonly corners: ArrayLike<number>;
  private readonly normals: ArrayLike<number>;

  constructor(unit: BufferGeometry, material: Material, private readonly count: number) {
    this.matrices = new Float32Array(16 * count);
    this.corners = unit.getAttribute("position").array;
    this.normals = unit.getAttribute("normal").array;
    const geometry = new BufferGeometry();
    const dynamic = () => new BufferAttribute(new Float32Array(this.corners.length * count), 3).setUsage(DynamicDrawUsage);
    geometry.setAttribute("position", dynamic());
    geometry.setAttribute("normal", dynamic());
    geometry.setAttribute("color", dynamic());
    for (const name of ["uv", "unit"]) {
      const attribute = unit.getAttribute(name);
      if (attribute !== undefined) geometry.setAttribute(name, new BufferAttribute(repeat(attribute.array, count), attribute.itemSize));
    }
    const index = unit.getIndex();
    if (index !== null) {
      const vertices = this.corners.length / 3;
      const all = new Uint32Array(index.count * count);
      for (let k = 0; k < all.length; ++k) all[k] = index.array[k % index.count] + vertices * Math.floor(k / index.count);
      geometry.setIndex(new BufferAttribute(all, 1));
    }
    this.mesh = new Mesh(geometry, material);
  }

  move() {
    const { position, normal } = this.mesh.geometry.attributes;
    moveCorners(this.count, this.matrices, this.corners, this.normals, position.array as Float32Array, normal.array as Float32Array);
    position.needsUpdate = normal.needsUpdate = true;
  }

  paint(colourOf: (index: number, out: Float32Array) => void) {
    const { color } = this.mesh.geometry.attributes;
    const colour = new Float32Array(3);
    const size = this.corners.length;
    for (let i = 0; i < this.count; ++i) {
      colourOf(i, colour);
      for (let k = 0; k < size; ++k) color.array[size * i + k] = colour[k % 3];
    }
    color.needsUpdate = true;
  }
}
