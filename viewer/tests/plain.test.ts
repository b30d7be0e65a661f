import { BoxGeometry, Color, IcosahedronGeometry, Matrix4, PerspectiveCamera, Quaternion, Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { type Kind, type Light, PlainPicture, eyeOf, lightOn, unitSolid } from "../src/scene3d/plain";

const kLight: Light = {
  sunDirection: new Vector3(0.3, -0.4, 0.85).normalize(), sun: new Color(2, 2, 2), up: new Vector3(0, 0, 1), sky: new Color(1.2, 1.2, 1.3),
  ground: new Color(0.3, 0.3, 0.25),
};

function cubes(matrices: Matrix4[]): Kind {
  return {
    solid: unitSolid(new BoxGeometry(2, 2, 2), "box"), matrices: Float32Array.from(matrices.flatMap((matrix) => matrix.elements)),
    colours: new Float32Array(3 * matrices.length).fill(0.5),
  };
}

function cameraAt(position: Vector3, target = new Vector3()): PerspectiveCamera {
  const camera = new PerspectiveCamera(40, 1.5, 0.1, 1000);
  camera.position.copy(position);
  camera.up.set(0, 0, 1);
  camera.lookAt(target);
  return camera;
}

function pictureOf(kinds: Kind[], position: Vector3, target?: Vector3): PlainPicture {
  const picture = new PlainPicture();
  picture.reserve(kinds);
  picture.fill(kinds, eyeOf(cameraAt(position, target), 400, 2), kLight);
  return picture;
}

describe("plain bodies", () => {
  it("draw only the sides that face the eye", () => {
    const cube = cubes([new Matrix4()]);
    const front = pictureOf([cube], new Vector3(6, 0, 0));
    expect([front.indexCount, front.cornerCount]).toEqual([6, 4]);
    const corner = pictureOf([cube], new Vector3(6, 5, 4));
    expect([corner.indexCount, corner.cornerCount]).toEqual([18, 12]);
  });

  it("leave nothing out that one could see, and draw nothing twice, however bodies are turned and stretched", () => {
    let random = 1;
    const uniform = (low: number, high: number) => {
      random = (random * 48271) % 2147483647;
      return low + ((high - low) * random) / 2147483647;
    };
    const vector = (size: number) => new Vector3(uniform(-size, size), uniform(-size, size), uniform(-size, size));
    for (let round = 0; round < 200; ++round) {
      const turn = new Quaternion(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)).normalize();
      const matrix = new Matrix4().compose(vector(1), turn, new Vector3(uniform(0.1, 2), uniform(0.1, 2), uniform(0.1, 2)));
      const eye = vector(1).normalize().multiplyScalar(15);
      const picture = pictureOf([cubes([matrix])], eye);
      let faces = 0;
      for (let axis = 0; axis < 3; ++axis) {
        for (const side of [-1, 1]) {
          const on = new Vector3().setComponent(axis, side).applyMatrix4(matrix);
          const normal = new Vector3().setFromMatrixColumn(matrix, axis).multiplyScalar(side);
          faces += normal.dot(eye.clone().sub(on)) > 0 ? 1 : 0;
        }
      }
      expect(picture.indexCount).toBe(6 * faces);
      for (let t = 0; t < picture.indexCount; t += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => new Vector3().fromArray(picture.corners, 3 * picture.triangles[t + k]));
        expect(b.sub(a).cross(c.sub(a)).dot(eye.clone().sub(a))).toBeGreaterThan(0);
      }
    }
  });

  it("are dots where they are tiny, and nothing where they are hidden or out of sight", () => {
    const at = (x: number, y: number, z: number) => new Matrix4().setPosition(x, y, z);
    const eye = new Vector3(10, 0, 0);
    expect(pictureOf([cubes([at(-2000, 0, 0)])], eye)).toMatchObject({ indexCount: 0, dotCount: 1 });
    expect(pictureOf([cubes([at(20, 0, 0), at(0, 80, 0), at(0, 0, -60), new Matrix4().makeScale(0, 0, 0)])], eye)).toMatchObject({ indexCount: 0, dotCount: 0 });
    expect(pictureOf([cubes([at(11.5, 0, 0)])], eye).dotCount).toBe(0); // around the eye
  });

  it("are lit as matt surfaces are", () => {
    const seen = pictureOf([cubes([new Matrix4()])], new Vector3(4, -5, 6));
    const brightest = Math.max(...Array.from({ length: seen.cornerCount }, (_, k) => seen.tints[4 * k]));
    const above = lightOn(new Vector3(0, 0, 1), kLight).multiplyScalar(0.5).convertLinearToSRGB();
    expect(Math.abs(brightest - 255 * above.r)).toBeLessThan(2);
    expect(lightOn(new Vector3(0, 0, -1), kLight).r).toBeCloseTo(0.3 / Math.PI, 9);
  });

  it("have balls with patches that one sees roll", () => {
    const { shades } = unitSolid(new IcosahedronGeometry(1, 1), "sphere");
    expect(new Set(shades).size).toBe(2);
  });
});
