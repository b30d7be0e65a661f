// Thousands of bodies for a processor that draws by itself: only the sides that face the eye, lit here corner by corner so that a pixel is
// a colour and nothing more, and bodies of a few pixels as dots.
import {
  BufferAttribute, BufferGeometry, type Color, DynamicDrawUsage, Group, Mesh, type PerspectiveCamera, Points, ShaderMaterial, Vector3,
} from "three";

const kDotSize = 2.2; // of the radius: across
const kPatchShade = 0.8; // of every second eighth of a ball, so that one sees it roll
const kCornerShade = 0.75; // of one corner of a box's side, so that one sees where the next box begins

// Light from a sun and a sky, in linear colours, as a matt surface sends it back.
export interface Light {
  sunDirection: Vector3; // to the sun
  sun: Color;
  up: Vector3;
  sky: Color;
  ground: Color;
}

// What falls on a surface, over pi: times its own colour it is what one sees.
export function lightOn(normal: Vector3, light: Light): Color {
  const sunny = Math.max(0, normal.dot(light.sunDirection));
  const above = 0.5 + 0.5 * normal.dot(light.up);
  return light.ground.clone().lerp(light.sky, above).add(light.sun.clone().multiplyScalar(sunny)).multiplyScalar(1 / Math.PI);
}

// A solid of unit size, looked at triangle by triangle.
export interface UnitSolid {
  corners: Float32Array; // x, y, z of each
  normals: Float32Array;
  shades: Float32Array; // of each corner
  triangles: Uint16Array;
  planes: Float32Array; // of each triangle, outwards: normal and offset
  reach: number; // of the farthest corner
}

export function unitSolid(geometry: BufferGeometry, solid: string): UnitSolid {
  const corners = Float32Array.from(geometry.getAttribute("position").array);
  const count = corners.length / 3;
  const triangles = Uint16Array.from(geometry.getIndex()?.array ?? Array.from({ length: count }, (_, k) => k));
  const planes = new Float32Array((4 * triangles.length) / 3);
  const corner = (k: number) => new Vector3().fromArray(corners, 3 * triangles[k]);
  for (let t = 0; t < triangles.length / 3; ++t) {
    const a = corner(3 * t);
    const normal = corner(3 * t + 1).sub(a).cross(corner(3 * t + 2).sub(a)).normalize();
    normal.toArray(planes, 4 * t);
    planes[4 * t + 3] = normal.dot(a);
  }
  const shades = new Float32Array(count).fill(1);
  const uv = geometry.getAttribute("uv");
  let reach = 0;
  for (let k = 0; k < count; ++k) {
    const [x, y, z] = corners.subarray(3 * k, 3 * k + 3);
    reach = Math.max(reach, Math.hypot(x, y, z));
    if (solid === "sphere" && x * y * z < 0) shades[k] = kPatchShade;
    if (solid === "box") shades[k] = kCornerShade + (1 - kCornerShade) * 0.5 * (uv.getX(k) + uv.getY(k));
  }
  return { corners, normals: Float32Array.from(geometry.getAttribute("normal").array), shades, triangles, planes, reach };
}

// From linear light, 0 to 1 in steps of 1/1023, to bytes as screens want them.
const kBytes = Uint8Array.from({ length: 1024 }, (_, k) => {
  const light = k / 1023;
  return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
});
function byteOf(light: number): number {
  return kBytes[light >= 1 ? 1023 : (1023 * light) | 0];
}

// Bodies of one kind.
export interface Kind {
  solid: UnitSolid;
  matrices: Float32Array; // 16 numbers for each body, as writeMatrices fills them
  colours: Float32Array; // 3 for each, linear
}

export interface Eye {
  position: Vector3;
  forward: Vector3;
  right: Vector3;
  up: Vector3;
  focal: number; // pixels that a unit at a unit's distance is high
  dotRadius: number; // pixels: what looks smaller is a dot
  halfWidth: number; // of the picture at a unit's distance
  halfHeight: number;
}

export function eyeOf(camera: PerspectiveCamera, pixelsHigh: number, dotRadius: number): Eye {
  const [right, up, forward] = [new Vector3(), new Vector3(), new Vector3()];
  camera.updateMatrixWorld();
  camera.matrixWorld.extractBasis(right, up, forward);
  const halfHeight = Math.tan((camera.fov * Math.PI) / 360);
  return {
    position: new Vector3().setFromMatrixPosition(camera.matrixWorld), forward: forward.negate(), right, up,
    focal: pixelsHigh / (2 * halfHeight), dotRadius, halfWidth: halfHeight * camera.aspect, halfHeight,
  };
}

// What there is to draw. Arrays are as large as it can get; how far they are filled is said beside them.
export class PlainPicture {
  corners = new Float32Array(0);
  tints = new Uint8Array(0); // 4 for each corner
  triangles = new Uint32Array(0);
  dots = new Float32Array(0);
  dotTints = new Uint8Array(0);
  dotSizes = new Float32Array(0); // pixels
  cornerCount = 0;
  indexCount = 0;
  dotCount = 0;

  reserve(kinds: readonly Kind[]) {
    let [corners, indices, bodies] = [0, 0, 0];
    for (const { solid, matrices } of kinds) {
      const count = matrices.length / 16;
      corners += (count * solid.corners.length) / 3;
      indices += count * solid.triangles.length;
      bodies += count;
    }
    this.corners = new Float32Array(3 * corners);
    this.tints = new Uint8Array(4 * corners);
    this.triangles = new Uint32Array(indices);
    this.dots = new Float32Array(3 * bodies);
    this.dotTints = new Uint8Array(4 * bodies);
    this.dotSizes = new Float32Array(bodies);
  }

  fill(kinds: readonly Kind[], eye: Eye, light: Light) {
    this.cornerCount = this.indexCount = this.dotCount = 0;
    for (const kind of kinds) this.add(kind, eye, light);
  }

  private add({ solid, matrices, colours }: Kind, eye: Eye, light: Light) {
    const { corners, normals, shades, triangles, planes, reach } = solid;
    const { x: ex, y: ey, z: ez } = eye.position;
    const { x: fx, y: fy, z: fz } = eye.forward;
    const { x: rx, y: ry, z: rz } = eye.right;
    const { x: ux, y: uy, z: uz } = eye.up;
    const wide = Math.hypot(1, eye.halfWidth), high = Math.hypot(1, eye.halfHeight);
    // As three.js does for matt materials: what arrives, over pi.
    const { x: lx, y: ly, z: lz } = light.sunDirection;
    const { x: hx, y: hy, z: hz } = light.up;
    const pi = Math.PI;
    const sunR = light.sun.r / pi, sunG = light.sun.g / pi, sunB = light.sun.b / pi;
    const lowR = light.ground.r / pi, lowG = light.ground.g / pi, lowB = light.ground.b / pi;
    const skyR = light.sky.r / pi - lowR, skyG = light.sky.g / pi - lowG, skyB = light.sky.b / pi - lowB;
    const place = new Int32Array(shades.length); // of a corner in the picture
    const seenBy = new Int32Array(shades.length).fill(-1); // the last body that needed it
    const { corners: outCorners, tints, triangles: outTriangles } = this;
    let corner = this.cornerCount, index = this.indexCount;
    for (let i = 0, m = 0; m < matrices.length; ++i, m += 16) {
      const xx = matrices[m], xy = matrices[m + 1], xz = matrices[m + 2];
      const yx = matrices[m + 4], yy = matrices[m + 5], yz = matrices[m + 6];
      const zx = matrices[m + 8], zy = matrices[m + 9], zz = matrices[m + 10];
      const px = matrices[m + 12], py = matrices[m + 13], pz = matrices[m + 14];
      const x2 = xx * xx + xy * xy + xz * xz, y2 = yx * yx + yy * yy + yz * yz, z2 = zx * zx + zy * zy + zz * zz;
      if (x2 === 0) continue; // hidden
      const dx = ex - px, dy = ey - py, dz = ez - pz;
      // Out of sight?
      const size = reach * Math.sqrt(Math.max(x2, y2, z2));
      const depth = -(dx * fx + dy * fy + dz * fz);
      if (depth < -size || Math.abs(dx * rx + dy * ry + dz * rz) > depth * eye.halfWidth + size * wide) continue;
      if (Math.abs(dx * ux + dy * uy + dz * uz) > depth * eye.halfHeight + size * high) continue;
      const red = colours[3 * i], green = colours[3 * i + 1], blue = colours[3 * i + 2];
      // How large it looks, by its volume.
      const pixels = depth > 0 ? (Math.cbrt(Math.sqrt(x2 * y2 * z2)) * eye.focal) / depth : Infinity;
      if (pixels < eye.dotRadius) {
        // As a ball is on the whole.
        const above = 0.7, facing = 0.45;
        const d = this.dotCount++;
        this.dots[3 * d] = px;
        this.dots[3 * d + 1] = py;
        this.dots[3 * d + 2] = pz;
        this.dotSizes[d] = kDotSize * pixels;
        this.dotTints[4 * d] = byteOf(red * (lowR + skyR * above + sunR * facing));
        this.dotTints[4 * d + 1] = byteOf(green * (lowG + skyG * above + sunG * facing));
        this.dotTints[4 * d + 2] = byteOf(blue * (lowB + skyB * above + sunB * facing));
        continue;
      }
      // The eye as the unit solid sees it: planes stay planes, however the solid was stretched.
      const ax = (dx * xx + dy * xy + dz * xz) / x2, ay = (dx * yx + dy * yy + dz * yz) / y2, az = (dx * zx + dy * zy + dz * zz) / z2;
      for (let t = 0, p = 0; t < triangles.length; t += 3, p += 4) {
        if (planes[p] * ax + planes[p + 1] * ay + planes[p + 2] * az <= planes[p + 3]) continue;
        for (let k = t; k < t + 3; ++k) {
          const c = triangles[k];
          if (seenBy[c] !== i) {
            seenBy[c] = i;
            place[c] = corner;
            const x = corners[3 * c], y = corners[3 * c + 1], z = corners[3 * c + 2];
            outCorners[3 * corner] = px + xx * x + yx * y + zx * z;
            outCorners[3 * corner + 1] = py + xy * x + yy * y + zy * z;
            outCorners[3 * corner + 2] = pz + xz * x + yz * y + zz * z;
            // Normals, with the stretch undone twice.
            const a = normals[3 * c] / x2, b = normals[3 * c + 1] / y2, n = normals[3 * c + 2] / z2;
            const nx = xx * a + yx * b + zx * n, ny = xy * a + yy * b + zy * n, nz = xz * a + yz * b + zz * n;
            const scale = shades[c] / Math.sqrt(nx * nx + ny * ny + nz * nz);
            const above = 0.5 * shades[c] + 0.5 * scale * (nx * hx + ny * hy + nz * hz);
            const facing = Math.max(0, scale * (nx * lx + ny * ly + nz * lz));
            tints[4 * corner] = byteOf(red * (lowR * shades[c] + skyR * above + sunR * facing));
            tints[4 * corner + 1] = byteOf(green * (lowG * shades[c] + skyG * above + sunG * facing));
            tints[4 * corner + 2] = byteOf(blue * (lowB * shades[c] + skyB * above + sunB * facing));
            ++corner;
          }
          outTriangles[index++] = place[c];
        }
      }
    }
    this.cornerCount = corner;
    this.indexCount = index;
  }
}

const kVertex = `
  attribute vec3 tint;
  attribute float size;
  varying vec3 vTint;
  void main() {
    vTint = tint;
    gl_PointSize = size;
    gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
  }`;
const kFragment = "varying vec3 vTint; void main() { gl_FragColor = vec4(vTint, 1.0); }";

// An array of which each picture fills the beginning.
function attribute(array: Float32Array | Uint8Array | Uint32Array, size: number): BufferAttribute {
  return new BufferAttribute(array, size, array instanceof Uint8Array).setUsage(DynamicDrawUsage);
}
function update(filled: BufferAttribute, numbers: number) {
  filled.clearUpdateRanges();
  filled.addUpdateRange(0, numbers);
  filled.needsUpdate = true;
}

// All kinds of bodies in two meshes.
export class PlainBodies {
  readonly group = new Group();
  isStale = true; // something moved or was painted
  private readonly picture = new PlainPicture();
  private readonly material = new ShaderMaterial({ vertexShader: kVertex, fragmentShader: kFragment });
  private readonly solids = new Mesh(new BufferGeometry(), this.material);
  private readonly dots = new Points(new BufferGeometry(), this.material);
  private readonly index: BufferAttribute;
  private lastEye = "";

  constructor(private readonly kinds: readonly Kind[]) {
    this.picture.reserve(kinds);
    const { corners, tints, triangles, dots, dotTints, dotSizes } = this.picture;
    this.index = attribute(triangles, 1);
    this.solids.geometry.setAttribute("position", attribute(corners, 3)).setAttribute("tint", attribute(tints, 4)).setIndex(this.index);
    this.dots.geometry.setAttribute("position", attribute(dots, 3)).setAttribute("tint", attribute(dotTints, 4));
    this.dots.geometry.setAttribute("size", attribute(dotSizes, 1));
    this.solids.frustumCulled = this.dots.frustumCulled = false;
    this.group.add(this.solids, this.dots);
  }

  // To be called before the picture is drawn.
  aim(camera: PerspectiveCamera, pixelsHigh: number, dotRadius: number, light: Light) {
    const eye = eyeOf(camera, pixelsHigh, dotRadius);
    const key = [...camera.matrixWorld.elements, eye.focal, eye.halfWidth, dotRadius].join();
    if (!this.isStale && key === this.lastEye) return;
    this.isStale = false;
    this.lastEye = key;
    this.picture.fill(this.kinds, eye, light);
    const { cornerCount, indexCount, dotCount } = this.picture;
    this.show(this.solids, cornerCount, indexCount);
    this.show(this.dots, dotCount, dotCount);
    update(this.index, indexCount);
  }

  private show(mesh: Mesh | Points, vertices: number, drawn: number) {
    mesh.visible = drawn > 0;
    mesh.geometry.setDrawRange(0, drawn);
    for (const filled of Object.values(mesh.geometry.attributes) as BufferAttribute[]) update(filled, vertices * filled.itemSize);
  }

  dispose() {
    this.solids.geometry.dispose();
    this.dots.geometry.dispose();
    this.material.dispose();
  }
}
