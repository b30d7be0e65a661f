import { describe, expect, it } from "vitest";
import { BoxGeometry, CylinderGeometry, Matrix3, Matrix4, Mesh, MeshBasicMaterial, DoubleSide, Quaternion, Raycaster, SphereGeometry, Vector3 } from "three";
import { PoseArrays } from "../src/poses";
import type { Body, Vec3 } from "../src/protocol";
import { readMessage } from "../src/read_message";
import { writeMatrices } from "../src/scene3d/batches";
import { moveCorners } from "../src/scene3d/merged";
import { type HullMesh, boundingRadius, collectHulls } from "../src/scene3d/parts";
import { pickBody } from "../src/scene3d/pick";
import { kBody, kScene } from "./samples.mjs";

function bodyOf(shape: Record<string, unknown>, slot = 0): Body {
  const message = readMessage(JSON.stringify({ ...kScene, bodies: [{ ...kBody, slot, shapes: [shape] }] }));
  if (message?.say !== "scene") throw new Error("no scene");
  return message.scene.bodies[0];
}

let state = 99;
const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const signed = () => 2 * random() - 1;

const kTetrahedron = { vertices: [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], triangles: [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]] };

// three.js's own ray caster on finely triangulated meshes is the oracle.
const kCases = [
  { shape: { type: "box", half: [0.5, 1, 0.3] }, mesh: () => new BoxGeometry(1, 2, 0.6), tolerance: 1e-5 },
  { shape: { type: "sphere", radius: 0.8 }, mesh: () => new SphereGeometry(0.8, 128, 96), tolerance: 2e-2 },
  { shape: { type: "ellipsoid", radii: [1, 0.5, 0.7] }, mesh: () => new SphereGeometry(1, 128, 96).scale(1, 0.5, 0.7), tolerance: 2e-2 },
  { shape: { type: "cylinder", radius: 0.5, halfHeight: 0.9 }, mesh: () => new CylinderGeometry(0.5, 0.5, 1.8, 256).rotateX(Math.PI / 2), tolerance: 1e-2 },
];

describe("pickBody", () => {
  it.each(kCases)("agrees with three.js for a $shape.type", ({ shape, mesh, tolerance }) => {
    const body = bodyOf({ ...shape, position: [0.2, -0.1, 0.3], rotation: [0.5, 0.5, 0.5, 0.5] });
    const poses = new PoseArrays(1);
    const turn = new Quaternion(0.3, -0.2, 0.6, 0.7).normalize();
    poses.positions.set([1, 2, 3]);
    poses.rotations.set(turn.toArray());
    const solid = new Mesh(mesh(), new MeshBasicMaterial({ side: DoubleSide }));
    const local = new Matrix4().compose(new Vector3(0.2, -0.1, 0.3), new Quaternion(0.5, 0.5, 0.5, 0.5), new Vector3(1, 1, 1));
    solid.matrixWorld.compose(new Vector3(1, 2, 3), turn, new Vector3(1, 1, 1)).multiply(local);
    const radii = [boundingRadius(body, new Map())];
    let hits = 0;
    let disagreements = 0;
    for (let k = 0; k < 400; ++k) {
      const origin = new Vector3(signed(), signed(), signed()).normalize().multiplyScalar(5).add(new Vector3(1, 2, 3));
      const aim = new Vector3(1 + 1.3 * signed(), 2 + 1.3 * signed(), 3 + 1.3 * signed());
      const direction = aim.sub(origin).normalize();
      const expected = new Raycaster(origin, direction).intersectObject(solid)[0];
      const found = pickBody({ origin: origin.toArray() as Vec3, direction: direction.toArray() as Vec3 }, [body], poses, radii, new Map());
      if ((expected === undefined) !== (found === null)) disagreements += 1; // rays that graze a silhouette of facets
      else if (found !== null) {
        hits += 1;
        if (Math.abs(found.distance - expected.distance) > tolerance) disagreements += 1;
      }
    }
    expect(hits).toBeGreaterThan(80);
    expect(disagreements).toBeLessThanOrEqual(4);
  });

  it("hits hulls, tells where in the body's frame, and takes the nearest of two bodies", () => {
    const near = bodyOf({ type: "hull", ...kTetrahedron }, 0);
    const far = bodyOf({ type: "sphere", radius: 1 }, 1);
    const poses = new PoseArrays(2);
    poses.positions.set([0, 0, 0, 0, 5, 0]);
    poses.rotations.set([0, 0, Math.SQRT1_2, Math.SQRT1_2, 0, 0, 0, 1]);
    const hulls = new Map<string, HullMesh>();
    collectHulls([near], hulls);
    const radii = [near, far].map((body) => boundingRadius(body, hulls));
    const ray = { origin: [0, -10, 0.1] as Vec3, direction: [0, 1, 0] as Vec3 };
    const hit = pickBody(ray, [far, near], poses, radii, hulls);
    expect(hit?.body.slot).toBe(0);
    // A quarter turn round z: world (x, y) is (−y, x) of the body's frame.
    expect(hit!.local[0]).toBeCloseTo(hit!.point[1], 6);
    expect(hit!.local[1]).toBeCloseTo(-hit!.point[0], 6);
    expect(pickBody({ origin: [0, 20, 0.1], direction: [0, -1, 0] }, [far, near], poses, radii, hulls)?.body.slot).toBe(1);
    expect(pickBody({ origin: [0, -10, 3], direction: [0, 1, 0] }, [far, near], poses, radii, hulls)).toBeNull();
  });
});

describe("moveCorners", () => {
  it("moves corners and normals as three.js does", () => {
    const box = new BoxGeometry(2, 2, 2);
    const corners = box.getAttribute("position").array;
    const normals = box.getAttribute("normal").array;
    const turn = new Quaternion(signed(), signed(), signed(), signed()).normalize();
    const matrix = new Matrix4().compose(new Vector3(1, 2, 3), turn, new Vector3(0.5, 2, 3));
    const matrices = Float32Array.from([...new Matrix4().elements, ...matrix.elements]);
    const out = new Float32Array(2 * corners.length);
    const outNormals = new Float32Array(2 * corners.length);
    moveCorners(2, matrices, corners, normals, out, outNormals);
    expect([...out.slice(0, corners.length)]).toEqual([...corners]);
    const normalMatrix = new Matrix3().getNormalMatrix(matrix);
    for (let k = 0; k < corners.length; k += 3) {
      const expected = new Vector3().fromArray(corners, k).applyMatrix4(matrix);
      const normal = new Vector3().fromArray(normals, k).applyMatrix3(normalMatrix).normalize();
      const found = new Vector3().fromArray(outNormals, corners.length + k).normalize();
      expect(new Vector3().fromArray(out, corners.length + k).distanceTo(expected)).toBeLessThan(1e-5);
      expect(found.distanceTo(normal)).toBeLessThan(1e-5);
    }
  });
});

describe("writeMatrices", () => {
  it("writes what three.js composes", () => {
    const poses = new PoseArrays(3);
    const q = [1, 2].map(() => new Quaternion(signed(), signed(), signed(), signed()).normalize());
    poses.positions.set([4, -5, 6], 6);
    poses.rotations.set(q[0].toArray(), 8);
    const out = new Float32Array(16);
    const local = Float32Array.from([0.1, 0.2, 0.3, ...q[1].toArray(), 2, 3, 4]);
    writeMatrices(Int32Array.of(2), local, poses, new Uint8Array(3), out);
    const expected = new Matrix4().compose(new Vector3(4, -5, 6), q[0], new Vector3(1, 1, 1))
      .multiply(new Matrix4().compose(new Vector3(0.1, 0.2, 0.3), q[1], new Vector3(2, 3, 4)));
    expected.elements.forEach((value, k) => expect(out[k]).toBeCloseTo(value, 5));
    writeMatrices(Int32Array.of(2), local, poses, Uint8Array.of(0, 0, 1), out);
    expect([...out.slice(0, 12)].every((value) => value === 0)).toBe(true); // hidden: of no size
  });
});
