// The mouse (or a finger) on the picture: a click selects, a drag on a body pulls it by a spring, a drag elsewhere moves the eye.
import type { Live } from "./live";
import type { Vec3 } from "./protocol";
import type { Hit } from "./scene3d/pick";
import type { View } from "./scene3d/view";
import { type Store, holdsControls } from "./store";
import type { World } from "./world";

const kClickSlop = 5; // pixels that a click may move

interface Press {
  pointer: number;
  x: number;
  y: number;
  hit: Hit | null;
  isDrag: boolean;
  depth: number; // m from the eye to the plane, facing the eye, in which the mouse pulls
}

export class Pointer {
  // Where the mouse was last, in pixels of the picture; the middle before that.
  x = 0;
  y = 0;
  private press: Press | null = null;
  private to: Vec3 | null = null;
  private isMoveDue = false;

  constructor(
    private readonly area: HTMLElement, private readonly view: View, private readonly world: World, private readonly store: Store,
    private readonly live: Live | null,
  ) {
    this.center();
    // Before the eye's own controls see it.
    area.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    area.addEventListener("pointermove", (event) => this.move(event));
    area.addEventListener("pointerup", (event) => this.up(event));
    area.addEventListener("pointercancel", () => this.release());
    area.addEventListener("lostpointercapture", () => this.release());
    area.addEventListener("wheel", (event) => this.wheel(event), { capture: true, passive: false });
    window.addEventListener("blur", () => this.release());
    store.on(["scene", "link", "bodiesVersion"], () => {
      if (this.press?.hit && !this.world.bodies.has(this.press.hit.body.slot)) this.release();
    });
  }

  private center() {
    this.x = this.area.clientWidth / 2;
    this.y = this.area.clientHeight / 2;
  }

  private locate(event: MouseEvent) {
    const bounds = this.area.getBoundingClientRect();
    this.x = event.clientX - bounds.left;
    this.y = event.clientY - bounds.top;
  }

  private down(event: PointerEvent) {
    if (event.target !== this.view.canvas) return;
    this.locate(event);
    if (this.press !== null || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const hit = this.view.pick(this.x, this.y);
    this.press = { pointer: event.pointerId, x: this.x, y: this.y, hit, isDrag: false, depth: hit?.distance ?? 0 };
    if (this.canPull(hit)) {
      this.view.camera.isEnabled = false;
      this.view.canvas.setPointerCapture(event.pointerId);
    }
  }

  private canPull(hit: Hit | null): hit is Hit {
    const { state } = this.store;
    return this.live !== null && hit !== null && hit.body.kind === "dynamic" && (holdsControls(state) || state.lab?.controls === null);
  }

  private move(event: PointerEvent) {
    this.locate(event);
    const press = this.press;
    if (press === null || press.pointer !== event.pointerId) return;
    if (!press.isDrag && Math.hypot(this.x - press.x, this.y - press.y) <= kClickSlop) return;
    if (!press.isDrag) {
      press.isDrag = true;
      if (this.canPull(press.hit)) this.grab(press.hit);
    }
    this.pull();
  }

  private grab(hit: Hit) {
    const ray = this.view.rayAt(this.x, this.y);
    this.press!.depth = this.depthOf(hit.point);
    this.to = this.pointAtDepth(ray.origin, ray.direction, this.press!.depth);
    this.live!.request({ do: "grab", body: hit.body.name, at: hit.local, to: this.live!.toWorld(this.to) });
    this.store.set({ selected: hit.body.slot });
    this.showSpring(hit);
  }

  private showSpring(hit: Hit) {
    this.view.showSpring(this.to === null ? null : { from: () => this.world.pointOf(hit.body.slot, hit.local), to: this.to });
  }

  private depthOf(point: Vec3): number {
    const { eye, forward } = this.view.camera;
    return forward.x * (point[0] - eye.position.x) + forward.y * (point[1] - eye.position.y) + forward.z * (point[2] - eye.position.z);
  }

  private pointAtDepth(origin: Vec3, direction: Vec3, depth: number): Vec3 {
    const { forward } = this.view.camera;
    const rate = forward.x * direction[0] + forward.y * direction[1] + forward.z * direction[2];
    return origin.map((value, k) => value + (direction[k] * depth) / rate) as Vec3;
  }

  // At most once for each picture: a fast mouse says more than a server wants to hear.
  private pull() {
    if (this.to === null || this.isMoveDue) return;
    this.isMoveDue = true;
    requestAnimationFrame(() => {
      this.isMoveDue = false;
      const press = this.press;
      if (this.to === null || press === null || press.hit === null) return;
      const ray = this.view.rayAt(this.x, this.y);
      this.to = this.pointAtDepth(ray.origin, ray.direction, press.depth);
      this.live!.request({ do: "drag", to: this.live!.toWorld(this.to) });
      this.showSpring(press.hit);
    });
  }

  // While a body is held, the wheel pushes it away or pulls it near.
  private wheel(event: WheelEvent) {
    if (this.to === null || this.press === null) return;
    event.preventDefault();
    event.stopPropagation();
    this.press.depth *= event.deltaY > 0 ? 0.95 : 1 / 0.95;
    this.pull();
  }

  private up(event: PointerEvent) {
    const press = this.press;
    if (press === null || press.pointer !== event.pointerId) return;
    if (!press.isDrag) {
      const slot = press.hit?.body.slot ?? null;
      this.store.set(slot === null ? { selected: null, isFollowing: false } : { selected: slot });
    }
    this.release();
  }

  release() {
    if (this.to !== null) this.live!.request({ do: "release" });
    this.to = null;
    this.press = null;
    this.view.camera.isEnabled = true;
    this.view.showSpring(null);
  }

  // What is under the mouse: a body, a plane, or a point as far away as what one looks at.
  pointUnder(): { point: Vec3; direction: Vec3; origin: Vec3 } {
    const { origin, direction } = this.view.rayAt(this.x, this.y);
    let distance = this.view.pick(this.x, this.y)?.distance ?? Infinity;
    for (const body of this.world.bodies.values()) {
      for (const shape of body.shapes) {
        if (shape.type !== "plane") continue;
        const [on, tip] = [shape.offset, shape.offset + 1].map((height) =>
          this.world.pointOf(body.slot, shape.normal.map((value, k) => value * height + shape.position[k])));
        const normal = tip.map((value, k) => value - on[k]);
        const dot = (a: number[], b: number[]) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        const rate = dot(normal, direction);
        const at = dot(normal, on.map((value, k) => value - origin[k])) / rate;
        if (rate < 0 && at > 0) distance = Math.min(distance, at);
      }
    }
    if (distance > 20 * (this.store.state.scene?.radius ?? 1)) distance = this.view.camera.distance;
    return { origin, direction, point: origin.map((value, k) => value + distance * direction[k]) as Vec3 };
  }
}
