// Marks on bodies: centres of mass, axes, bounding boxes, pins, the selected body, and the spring of the mouse.
import { CylinderGeometry, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, SphereGeometry } from "three";
import type { Frame } from "../frame";
import type { Body, Vec3 } from "../protocol";
import type { Overlays } from "../store";
import type { World } from "../world";
import { GrowingLines, GrowingPoints, writeAlong } from "./buffers";
import { edgesOf } from "./geometry";
import { bodyParts, rotate } from "./parts";

const kCenter = [0.95, 0.9, 0.1]; // linear colours
const kPin = [0.95, 0.05, 0.25];
const kBox = [0.25, 0.6, 0.85];
const kAxes = [[0.9, 0.1, 0.1], [0.1, 0.65, 0.15], [0.15, 0.3, 0.95]];
const kHighlight = 0xff7a1a;
// The twelve edges of a box; bit k of a corner chooses the upper bound of axis k.
const kBoxEdges = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];

export class Marks {
  readonly group = new Group();
  private readonly centers = new GrowingPoints(6);
  private readonly pins = new GrowingPoints(11);
  private readonly axes = new GrowingLines(true);
  private readonly boxes = new GrowingLines();
  private readonly highlight = new Group();
  private readonly spring = new Group();
  private readonly rod: Mesh;
  private readonly handles: [Mesh, Mesh];
  private highlighted: Body | null = null;

  constructor() {
    const material = new MeshBasicMaterial({ color: kHighlight, depthTest: false, transparent: true, opacity: 0.9 });
    this.rod = new Mesh(new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0).rotateX(Math.PI / 2), material);
    this.rod.matrixAutoUpdate = false;
    const ball = new SphereGeometry(1, 16, 12);
    this.handles = [new Mesh(ball, material), new Mesh(ball, material)];
    this.spring.add(this.rod, ...this.handles);
    this.spring.renderOrder = 4;
    this.spring.visible = false;
    for (const shown of [this.centers, this.pins, this.axes, this.boxes]) this.group.add(shown.object);
    this.group.add(this.highlight, this.spring);
  }

  // What moves with the bodies, each time that they are moved.
  update(world: World, shown: Overlays, pinned: readonly number[], radius: number) {
    this.centers.isShown = shown.centers;
    this.axes.isShown = shown.axes;
    if (shown.centers) this.drawCenters(world, this.centers, movable(world), kCenter);
    if (shown.axes) this.drawAxes(world, 0.04 * radius);
    this.pins.isShown = pinned.length > 0;
    if (pinned.length > 0) this.drawCenters(world, this.pins, pinned.flatMap((slot) => world.bodies.get(slot) ?? []), kPin);
    if (this.highlighted !== null) this.placeHighlight(world, this.highlighted.slot);
  }

  private drawCenters(world: World, points: GrowingPoints, bodies: Body[], colour: number[]) {
    const { positions, rotations } = world.poses.shown;
    points.reserve(bodies.length);
    bodies.forEach((body, k) => {
      const offset = rotate(rotations, body.center, 4 * body.slot);
      for (let c = 0; c < 3; ++c) points.positions[3 * k + c] = positions[3 * body.slot + c] + offset[c];
      points.colours.set(colour, 3 * k);
    });
    points.finish();
  }

  private drawAxes(world: World, least: number) {
    const { positions, rotations } = world.poses.shown;
    const bodies = movable(world);
    this.axes.reserve(6 * bodies.length);
    bodies.forEach((body, k) => {
      const center = rotate(rotations, body.center, 4 * body.slot);
      const length = Math.max(0.8 * world.radii[body.slot], 0.2 * least);
      for (let axis = 0; axis < 3; ++axis) {
        const tip = rotate(rotations, [0, 1, 2].map((c) => (c === axis ? length : 0)), 4 * body.slot);
        const at = 18 * k + 6 * axis;
        for (let c = 0; c < 3; ++c) {
          this.axes.positions[at + c] = positions[3 * body.slot + c] + center[c];
          this.axes.positions[at + 3 + c] = this.axes.positions[at + c] + tip[c];
        }
        this.axes.colours.set(kAxes[axis], at);
        this.axes.colours.set(kAxes[axis], at + 3);
      }
    });
    this.axes.finish();
  }

  updateBoxes(frame: Frame | null, isShown: boolean) {
    this.boxes.isShown = isShown && frame?.boxes != null;
    if (!isShown || frame?.boxes == null) return;
    const bounds = frame.boxes;
    this.boxes.reserve(kBoxEdges.length * frame.count);
    this.boxes.colours.forEach((_value, k) => (this.boxes.colours[k] = kBox[k % 3]));
    let at = 0;
    for (let body = 0; body < frame.count; ++body) {
      for (const corner of kBoxEdges) {
        for (let c = 0; c < 3; ++c) this.boxes.positions[at++] = bounds[6 * body + (corner & (1 << c) ? 3 : 0) + c];
      }
    }
    this.boxes.finish();
  }

  // The edges of the selected body: bright where one sees them, faint through others.
  select(body: Body | null, world: World) {
    for (const line of [...this.highlight.children] as LineSegments[]) {
      line.geometry.dispose();
      this.highlight.remove(line);
    }
    this.highlighted = body;
    if (body === null) return;
    for (const part of bodyParts(body)) {
      const edges = edgesOf(part, world.hulls, 1.01);
      if (edges === null) continue;
      for (const [opacity, depthTest] of [[1, true], [0.35, false]] as const) {
        const line = new LineSegments(edges, new LineBasicMaterial({ color: kHighlight, transparent: true, opacity, depthTest }));
        line.frustumCulled = false;
        line.renderOrder = 2;
        this.highlight.add(line);
      }
    }
    this.placeHighlight(world, body.slot);
  }

  private placeHighlight(world: World, slot: number) {
    const { positions, rotations } = world.poses.shown;
    this.highlight.position.fromArray(positions, 3 * slot);
    this.highlight.quaternion.fromArray(rotations, 4 * slot);
    this.highlight.visible = world.hidden[slot] === 0;
  }

  // From the point that is held to where it is pulled; `width` in m, chosen so that it looks the same from any distance.
  drawSpring(ends: { from: Vec3; to: Vec3; width: number } | null) {
    this.spring.visible = ends !== null;
    if (ends === null) return;
    const along = ends.to.map((value, k) => value - ends.from[k]);
    const matrix = new Float32Array(16);
    writeAlong(matrix, 0, ends.from, along, ends.width);
    this.rod.matrix.fromArray(matrix);
    this.rod.matrixWorldNeedsUpdate = true;
    this.handles[0].position.set(...ends.from);
    this.handles[1].position.set(...ends.to);
    for (const handle of this.handles) handle.scale.setScalar(2.5 * ends.width);
  }
}

function movable(world: World): Body[] {
  return [...world.bodies.values()].filter((body) => body.kind !== "static" && world.hidden[body.slot] === 0);
}
