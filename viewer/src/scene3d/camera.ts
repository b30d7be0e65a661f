// The eye: orbits, pans and zooms around a point, jumps to named views, and follows a body.
import { PerspectiveCamera, Quaternion, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Vec3 } from "../protocol";
import type { Ray } from "./pick";

export type Preset = "home" | "front" | "side" | "top";

const kFieldOfView = 40; // degrees, across the height
const kFlight = 260; // ms that a jump takes

// Two axes across `up`, so that with z up they are x and y.
export function basisAround(up: Vec3): { right: Vector3; ahead: Vector3; up: Vector3 } {
  const upward = new Vector3(...up);
  if (upward.lengthSq() === 0) upward.set(0, 0, 1);
  upward.normalize();
  const right = new Vector3(1, 0, 0);
  if (Math.abs(upward.x) > 0.9) right.set(0, 0, 1);
  right.addScaledVector(upward, -right.dot(upward)).normalize();
  return { right, ahead: upward.clone().cross(right), up: upward };
}

export class Camera {
  readonly eye = new PerspectiveCamera(kFieldOfView, 1, 0.1, 1000);
  private controls: OrbitControls;
  private basis = basisAround([0, 0, 1]);
  private radius = 1; // m
  private flight: { from: Vector3; to: Vector3; fromTarget: Vector3; toTarget: Vector3; start: number } | null = null;
  private followed: Vector3 | null = null;
  private readonly isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;

  constructor(private readonly element: HTMLElement, private readonly changed: () => void) {
    this.controls = this.makeControls();
  }

  private makeControls(): OrbitControls {
    this.eye.up.copy(this.basis.up);
    const controls = new OrbitControls(this.eye, this.element);
    controls.zoomToCursor = true;
    controls.zoomSpeed = 1.5;
    controls.addEventListener("change", this.changed);
    controls.addEventListener("start", () => (this.flight = null));
    return controls;
  }

  set isEnabled(value: boolean) {
    this.controls.enabled = value;
  }
  get target(): Vector3 {
    return this.controls.target;
  }
  get distance(): number {
    return this.eye.position.distanceTo(this.controls.target);
  }

  // For a new scene. The controls know their up direction from birth only.
  setScene(up: Vec3, radius: number) {
    this.controls.dispose();
    this.basis = basisAround(up);
    this.radius = radius;
    this.controls = this.makeControls();
    this.controls.minDistance = 0.02 * radius;
    this.controls.maxDistance = 60 * radius;
    this.controls.target.set(0, 0, 0);
    this.go("home", true);
  }

  resize(width: number, height: number) {
    this.eye.aspect = width / Math.max(height, 1);
    this.eye.updateProjectionMatrix();
  }

  // m from the middle so that a ball of this radius fits into the narrower side of the picture.
  private distanceFor(radius: number): number {
    const half = (kFieldOfView * Math.PI) / 360;
    const narrow = Math.min(half, Math.atan(Math.tan(half) * this.eye.aspect));
    return (1.06 * radius) / Math.sin(narrow);
  }

  go(preset: Preset, isInstant = false) {
    const { right, ahead, up } = this.basis;
    const direction = {
      home: new Vector3().addScaledVector(right, 0.55).addScaledVector(ahead, -1).addScaledVector(up, 0.42),
      front: ahead.clone().negate(),
      side: right.clone(),
      // Not quite from above: exactly there the picture's upper side would be undecided.
      top: up.clone().addScaledVector(ahead, -1e-3),
    }[preset].normalize();
    this.fly(direction.multiplyScalar(this.distanceFor(this.radius)), new Vector3(), isInstant);
  }

  // Keeps the direction, so that a ball fills the picture.
  frame(center: Vector3, radius: number) {
    const direction = this.eye.position.clone().sub(this.controls.target).normalize();
    this.fly(direction.multiplyScalar(this.distanceFor(Math.max(radius, 1e-3))).add(center), center, false);
  }

  private fly(to: Vector3, toTarget: Vector3, isInstant: boolean) {
    this.flight = { from: this.eye.position.clone(), to, fromTarget: this.controls.target.clone(), toTarget, start: performance.now() };
    if (isInstant || this.isCalm) this.flight.start = -Infinity;
    this.changed();
  }

  // Angles in rad: round the up direction, and up or down.
  orbit(round: number, over: number) {
    const offset = this.eye.position.clone().sub(this.controls.target);
    const across = offset.clone().cross(this.basis.up).normalize();
    const angle = offset.angleTo(this.basis.up);
    const limited = Math.min(Math.max(over, angle - Math.PI + 0.02), angle - 0.02);
    offset.applyQuaternion(new Quaternion().setFromAxisAngle(across, limited));
    offset.applyQuaternion(new Quaternion().setFromAxisAngle(this.basis.up, round));
    this.flight = null;
    this.eye.position.copy(this.controls.target).add(offset);
    this.changed();
  }

  zoom(factor: number) {
    const offset = this.eye.position.clone().sub(this.controls.target);
    offset.setLength(Math.min(Math.max(offset.length() * factor, this.controls.minDistance), this.controls.maxDistance));
    this.flight = null;
    this.eye.position.copy(this.controls.target).add(offset);
    this.changed();
  }

  // Moves along with a point; null stops.
  follow(point: Vec3 | null) {
    if (point === null) {
      this.followed = null;
      return;
    }
    const now = new Vector3(...point);
    const step = this.followed === null ? now.clone().sub(this.controls.target) : now.clone().sub(this.followed);
    this.followed = now;
    if (step.lengthSq() === 0) return;
    this.controls.target.add(step);
    this.eye.position.add(step);
    this.changed();
  }

  update(now: number) {
    if (this.flight !== null) {
      const share = Math.min(Math.max((now - this.flight.start) / kFlight, 0), 1);
      const smooth = share * share * (3 - 2 * share);
      this.eye.position.lerpVectors(this.flight.from, this.flight.to, smooth);
      this.controls.target.lerpVectors(this.flight.fromTarget, this.flight.toTarget, smooth);
      if (share === 1) this.flight = null;
      this.changed();
    }
    this.controls.update();
    const distance = Math.max(this.distance, 1e-3);
    this.eye.near = Math.max(0.005 * distance, 2e-4 * this.radius);
    this.eye.far = distance + 60 * this.radius;
    this.eye.updateProjectionMatrix();
    this.eye.updateMatrixWorld();
  }

  // Through a point of the picture; x and y from -1 (left, bottom) to 1.
  ray(x: number, y: number): Ray {
    const tip = new Vector3(x, y, 0.5).unproject(this.eye);
    const direction = tip.sub(this.eye.position).normalize();
    return { origin: this.eye.position.toArray() as Vec3, direction: direction.toArray() as Vec3 };
  }

  get forward(): Vector3 {
    return this.eye.getWorldDirection(new Vector3());
  }

  // m that a pixel covers at a point, in a picture of so many pixels in height.
  pixelSize(point: Vec3, height: number): number {
    const depth = new Vector3(...point).sub(this.eye.position).dot(this.forward);
    return (2 * Math.max(depth, 0) * Math.tan((kFieldOfView * Math.PI) / 360)) / Math.max(height, 1);
  }
}
