// The meshes of unit solids, once each.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CylinderGeometry, EdgesGeometry, IcosahedronGeometry, Matrix4, Quaternion, Vector3,
} from "three";
import { mergeVertices } from "three/addons/utils/BufferGeometryUtils.js";
import type { HullMesh, Part } from "./parts";
import type { Roundness } from "./quality";

// Coarser balls and cylinders where there are many: 80 triangles each still look round from where one sees twenty thousand.
const kFinenesses = [
  { count: 40, ballDetail: 9, segments: 48 },
  { count: 400, ballDetail: 5, segments: 32 },
  { count: 4000, ballDetail: 3, segments: 16 },
  { count: Infinity, ballDetail: 1, segments: 10 },
  { count: Infinity, ballDetail: 0, segments: 6 }, // where the processor has to draw each of them
];

function finenessFor(count: number, roundness: Roundness) {
  const fitting = kFinenesses.findIndex((entry) => count <= entry.count);
  const least = { fitting: 0, coarse: 2, coarsest: 3 }[roundness];
  // A hundred coarse bodies cost nothing; thousands do.
  return kFinenesses[roundness === "coarsest" && count > 400 ? kFinenesses.length - 1 : Math.max(fitting, least)];
}

// Normals point away from the middle also on the coarsest ball, so that it is shaded as a round one. Corners are shared: each is
// worked out once.
function smoothBall(detail: number): BufferGeometry {
  const ball = mergeVertices(new IcosahedronGeometry(1, detail).deleteAttribute("normal").deleteAttribute("uv"), 1e-5);
  ball.setAttribute("normal", ball.getAttribute("position").clone());
  ball.setAttribute("unit", ball.getAttribute("position").clone()); // where on the ball, for its pattern
  return ball;
}

function hullGeometry(hull: HullMesh): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(hull.corners, 3));
  geometry.computeVertexNormals();
  return geometry;
}

export function solidGeometry(
  solid: string, count: number, hulls: ReadonlyMap<string, HullMesh>, roundness: Roundness = "fitting",
): BufferGeometry | null {
  const { ballDetail, segments } = finenessFor(count, roundness);
  switch (solid) {
    case "box":
      return new BoxGeometry(2, 2, 2);
    case "sphere":
      return smoothBall(ballDetail);
    case "cylinder":
      return new CylinderGeometry(1, 1, 2, segments).rotateX(Math.PI / 2);
    case "tube":
      return new CylinderGeometry(1, 1, 2, segments, 1, true).rotateX(Math.PI / 2);
    default: {
      const hull = hulls.get(solid);
      return hull === undefined ? null : hullGeometry(hull);
    }
  }
}

// The outline of a part, in its body's frame.
export function edgesOf(part: Part, hulls: ReadonlyMap<string, HullMesh>, stretch: number): BufferGeometry | null {
  const solid = solidGeometry(part.solid, 4000, hulls);
  if (solid === null) return null;
  const edges = new EdgesGeometry(solid, part.solid === "sphere" ? 1 : 20);
  solid.dispose();
  const scale = new Vector3().fromArray(part.scale).multiplyScalar(stretch);
  return edges.applyMatrix4(new Matrix4().compose(new Vector3().fromArray(part.position), new Quaternion().fromArray(part.rotation), scale));
}
