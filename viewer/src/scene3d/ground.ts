// Planes as grids. Floors are solid and fade far away; walls are glass, so that one sees what they hold.
import { type Color, FrontSide, Group, Mesh, PlaneGeometry, Vector3 } from "three";
import type { Body, Scene, Shape } from "../protocol";
import type { World } from "../world";
import { type GridMaterial, gridMaterial, plainGridMaterial } from "./materials";
import { rotate } from "./parts";
import { type Light, lightOn } from "./plain";

const kFloorReach = 40; // of the scene's radius
const kSlopeReach = 4;
const kWallReach = 1.6;

// A step of 1, 2 or 5 times a power of ten, so that some ten cells cross the scene.
export function gridStep(radius: number): number {
  const rough = radius / 10;
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = rough / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

type PlaneShape = Extract<Shape, { type: "plane" }>;

export class Ground {
  readonly group = new Group();
  private planes: { mesh: Mesh; grid: GridMaterial; normal: Vector3 }[] = [];
  private moving: { mesh: Mesh; body: Body; shape: PlaneShape }[] = [];

  build(world: World, scene: Scene, isPlain: boolean) {
    this.clear();
    const up = new Vector3(...scene.up).normalize();
    for (const body of world.bodies.values()) {
      for (const shape of body.shapes) {
        if (shape.type !== "plane") continue;
        const mesh = this.makePlane(body, shape, world, up, scene.radius, isPlain);
        this.group.add(mesh);
        if (body.kind !== "static") this.moving.push({ mesh, body, shape });
      }
    }
  }

  private makePlane(body: Body, shape: PlaneShape, world: World, up: Vector3, radius: number, isPlain: boolean): Mesh {
    const normal = worldNormal(body, shape, world);
    const lean = normal.dot(up);
    const isFloor = lean > 0.999;
    const isWall = lean < 0.5;
    const reach = radius * (isFloor ? kFloorReach : isWall ? kWallReach : kSlopeReach);
    const grid = (isPlain ? plainGridMaterial : gridMaterial)({ step: gridStep(radius), reach: isFloor ? reach : 2 * reach, isSeeThrough: isWall });
    grid.material.side = FrontSide;
    const mesh = new Mesh(new PlaneGeometry(2 * reach, 2 * reach), grid.material);
    this.planes.push({ mesh, grid, normal });
    mesh.receiveShadow = true;
    mesh.renderOrder = isWall ? 1 : -1;
    place(mesh, body, shape, world);
    return mesh;
  }

  update(world: World) {
    for (const { mesh, body, shape } of this.moving) place(mesh, body, shape, world);
  }

  paint(colours: { surface: Color; lines: Color; background: Color }, light: Light) {
    for (const { grid, normal } of this.planes) grid.paint({ ...colours, light: lightOn(normal, light) });
  }

  clear() {
    for (const { mesh, grid } of this.planes) {
      mesh.geometry.dispose();
      grid.material.dispose();
      this.group.remove(mesh);
    }
    this.planes = [];
    this.moving = [];
  }
}

function worldNormal(body: Body, shape: PlaneShape, world: World): Vector3 {
  const inBody = rotate(shape.rotation, shape.normal);
  return new Vector3(...rotate(world.poses.shown.rotations, inBody, 4 * body.slot)).normalize();
}

// The grid's middle is the point of the plane that is nearest to the scene's origin.
function place(mesh: Mesh, body: Body, shape: PlaneShape, world: World) {
  const normal = worldNormal(body, shape, world);
  const { positions, rotations } = world.poses.shown;
  const inBody = rotate(shape.rotation, shape.normal.map((value) => value * shape.offset)).map((value, k) => value + shape.position[k]);
  const onPlane = new Vector3(...rotate(rotations, inBody, 4 * body.slot)).add(new Vector3().fromArray(positions, 3 * body.slot));
  mesh.position.copy(normal).multiplyScalar(onPlane.dot(normal));
  mesh.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), normal);
}
