// The picture: sets up the scene, draws when something changed, and draws less well rather than late.
import {
  Color, DirectionalLight, Fog, HemisphereLight, PCFSoftShadowMap, Scene as ThreeScene, Vector3, WebGLRenderer,
} from "three";
import type { Scene, Vec3 } from "../protocol";
import type { State, Store } from "../store";
import type { World } from "../world";
import { Batches, linearColours } from "./batches";
import { Camera } from "./camera";
import { chooseColouring } from "./colours";
import { ContactView } from "./contacts";
import { Glass } from "./glass";
import type { Graphics } from "./graphics";
import { Ground } from "./ground";
import { Marks } from "./marks";
import { type Hit, pickBody } from "./pick";
import type { Light } from "./plain";
import { Quality, type Roundness } from "./quality";

const kManyBodies = 500; // for a processor that draws by itself
const kShadowReach = 1.5; // of the scene's radius

export interface Theme {
  background: string;
  ground: string;
  lines: string;
}

export class View {
  readonly canvas: HTMLCanvasElement;
  readonly camera: Camera;
  readonly quality = new Quality();
  beforeFrame: (now: number) => void = () => {};
  drawnFrames = 0;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new ThreeScene();
  private readonly sun = new DirectionalLight(0xfff4e6, 2.4);
  private readonly sky = new HemisphereLight(0xdfe9f5, 0x6b6257, 1.5);
  private readonly batches: Batches;
  private readonly ground = new Ground();
  private readonly contacts = new ContactView();
  private readonly marks = new Marks();
  private readonly glass = new Glass();
  private own: Float32Array = new Float32Array(0); // the bodies' colours by slot, linear
  private shownScene: Scene | null = null;
  private theme: Theme = { background: "#e9edf0", ground: "#d7dcdf", lines: "#aab2b8" };
  private builtRoundness: Roundness | null = null;
  private isDirty = true;
  private areColoursStale = true;
  private isFrameNew = false;
  private lastDrawn = 0; // ms
  private spring: { from: () => Vec3; to: Vec3 } | null = null;

  constructor(private readonly container: HTMLElement, private readonly store: Store, private readonly world: World, private readonly graphics: Graphics) {
    this.renderer = new WebGLRenderer({ antialias: !graphics.isSoftware, powerPreference: "high-performance" });
    this.batches = new Batches(graphics);
    if (graphics.isSoftware) this.quality.guess(3);
    this.canvas = this.renderer.domElement;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.sun.castShadow = true;
    this.scene.add(this.sky, this.sun, this.sun.target, this.ground.group, this.batches.group, this.contacts.group, this.marks.group, this.glass.group);
    container.append(this.canvas);
    this.camera = new Camera(this.canvas, () => this.refresh());
    this.applyLook();
    new ResizeObserver(() => this.resize()).observe(container);
    this.resize();
    store.on(["overlays", "lab"], () => {
      this.areColoursStale = this.isFrameNew = true;
      this.refresh();
    });
    store.on(["selected", "scene", "bodiesVersion"], (state) => this.showSelection(state));
    requestAnimationFrame((now) => this.tick(now));
  }

  refresh() {
    this.isDirty = true;
  }
  // A frame was put into the world: contacts, colours and boxes may be others now.
  frameArrived() {
    this.isFrameNew = true;
    const { overlays } = this.store.state;
    if (overlays.islands || overlays.layers || overlays.sleeping) this.areColoursStale = true;
  }

  setTheme(theme: Theme) {
    this.theme = theme;
    this.scene.background = new Color(theme.background);
    this.scene.fog = new Fog(theme.background, 1, 2);
    this.paintGround();
    this.setFog();
    this.refresh();
  }

  private setFog() {
    const radius = this.shownScene?.radius ?? 1;
    if (this.scene.fog instanceof Fog) {
      this.scene.fog.near = 12 * radius;
      this.scene.fog.far = 45 * radius;
    }
  }

  // After the world was loaded with it. A restart keeps the eye where it is.
  showScene(scene: Scene) {
    const isOther = this.shownScene === null || this.shownScene.name !== scene.name || this.shownScene.radius !== scene.radius;
    this.shownScene = scene;
    if (isOther) this.camera.setScene(scene.up, scene.radius);
    if (isOther && this.graphics.isSoftware) this.quality.guess(scene.bodies.length > kManyBodies ? 4 : 3);
    this.placeLight(scene);
    this.contacts.clear();
    this.world.isStale = true;
    this.refresh();
  }

  private placeLight(scene: Scene) {
    const up = new Vector3(...scene.up).normalize();
    this.sky.position.copy(up);
    const across = new Vector3(0.5, -0.35, 0.2).addScaledVector(up, -new Vector3(0.5, -0.35, 0.2).dot(up));
    const reach = kShadowReach * scene.radius;
    this.sun.position.copy(up).multiplyScalar(0.85).add(across).normalize().multiplyScalar(4 * reach);
    const camera = this.sun.shadow.camera;
    [camera.left, camera.right, camera.bottom, camera.top, camera.near, camera.far] = [-reach, reach, -reach, reach, reach, 8 * reach];
    camera.updateProjectionMatrix();
    this.setFog();
    this.applyLook();
  }

  // For a processor that draws by itself and cannot keep up otherwise.
  private get isPlain(): boolean {
    return this.graphics.isSoftware && this.quality.look.roundness === "coarsest";
  }
  private paintGround() {
    const { ground, lines, background } = this.theme;
    this.ground.paint({ surface: new Color(ground), lines: new Color(lines), background: new Color(background) }, this.light());
  }

  // What the lamps give, as numbers.
  private light(): Light {
    const { sun, sky } = this;
    return {
      sunDirection: sun.position.clone().sub(sun.target.position).normalize(), sun: sun.color.clone().multiplyScalar(sun.intensity),
      up: sky.position.clone().normalize(), sky: sky.color.clone().multiplyScalar(sky.intensity),
      ground: sky.groundColor.clone().multiplyScalar(sky.intensity),
    };
  }

  applyLook() {
    const { pixelRatio, shadowSize, roundness } = this.quality.look;
    if (roundness !== this.builtRoundness) this.world.isStale = true;
    this.renderer.setPixelRatio(pixelRatio < 1 ? pixelRatio : Math.min(pixelRatio, window.devicePixelRatio));
    this.sun.castShadow = shadowSize > 0;
    const shadow = this.sun.shadow;
    if (shadowSize > 0 && shadow.mapSize.x !== shadowSize) {
      shadow.mapSize.set(shadowSize, shadowSize);
      shadow.map?.dispose();
      shadow.map = null;
    }
    // One texel, so that surfaces do not shade themselves.
    shadow.normalBias = (1.5 * kShadowReach * 2 * (this.shownScene?.radius ?? 1)) / Math.max(shadowSize, 512);
    this.refresh();
  }

  private resize() {
    const { clientWidth, clientHeight } = this.container;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setSize(clientWidth, clientHeight);
    this.camera.resize(clientWidth, clientHeight);
    // At once: a cleared canvas would flash.
    this.isDirty = true;
    this.draw();
  }

  private tick(now: number) {
    requestAnimationFrame((next) => this.tick(next));
    this.beforeFrame(now);
    if (this.world.isStale) this.rebuild();
    const moved = this.world.poses.advance(now / 1000);
    if (moved) this.place();
    const { isFollowing, selected } = this.store.state;
    this.camera.follow(isFollowing && selected !== null ? this.centerOf(selected) : null);
    this.camera.update(now);
    if (!this.isDirty) {
      this.lastDrawn = 0;
      return;
    }
    this.lookThrough(now, false);
    this.draw();
    if (this.lastDrawn > 0 && this.quality.observe(now - this.lastDrawn)) this.applyLook();
    this.lastDrawn = now;
  }

  private rebuild() {
    this.world.isStale = false;
    this.own = linearColours(this.world.bodies.values(), this.world.poses.capacity);
    this.batches.build(this.world.bodies.values(), this.world.hulls, this.quality.look.roundness, this.isPlain);
    this.builtRoundness = this.quality.look.roundness;
    if (this.shownScene !== null) this.ground.build(this.world, this.shownScene, this.isPlain);
    this.paintGround();
    this.lookThrough(performance.now(), true);
    this.areColoursStale = true;
    this.isFrameNew = true;
    this.refresh();
  }

  // Which walls are in the way depends on where the eye is.
  private lookThrough(now: number, isAnew: boolean) {
    if (!this.glass.update(this.world, this.camera.eye.position, this.shownScene?.radius ?? 1, now, isAnew)) return;
    this.batches.move(this.world.poses.shown, this.glass.unseen(this.world), false);
  }

  // Puts everything that moves where the world says it is.
  place() {
    this.batches.move(this.world.poses.shown, this.world.hidden, true);
    this.ground.update(this.world);
    this.refresh();
  }

  private draw() {
    this.isDirty = false;
    const { overlays, lab } = this.store.state;
    const radius = this.shownScene?.radius ?? 1;
    if (this.areColoursStale) {
      this.areColoursStale = false;
      this.batches.paint(chooseColouring(overlays, this.world, this.own));
    }
    if (this.isFrameNew) {
      this.isFrameNew = false;
      const contacts = this.world.frame?.contacts ?? null;
      const hidden = { contacts: false, impulses: false, cones: false };
      this.contacts.update(contacts ?? new Float32Array(0), contacts === null ? hidden : overlays, radius);
      this.marks.updateBoxes(this.world.frame, overlays.boxes);
    }
    this.marks.update(this.world, overlays, lab?.pinned ?? [], radius);
    this.drawSpring();
    this.batches.aim(this.camera.eye, this.canvas.height, this.quality.look.dotRadius ?? 0, this.light());
    this.renderer.render(this.scene, this.camera.eye);
    this.drawnFrames += 1;
  }

  private drawSpring() {
    if (this.spring === null) return this.marks.drawSpring(null);
    const { to } = this.spring;
    return this.marks.drawSpring({ from: this.spring.from(), to, width: 1.2 * this.camera.pixelSize(to, this.container.clientHeight) });
  }

  // The spring of the mouse, from a point that moves with its body.
  showSpring(spring: { from: () => Vec3; to: Vec3 } | null) {
    this.spring = spring;
    this.refresh();
  }

  private showSelection(state: State) {
    this.marks.select(state.selected === null ? null : (this.world.bodies.get(state.selected) ?? null), this.world);
    this.refresh();
  }

  centerOf(slot: number): Vec3 | null {
    return this.world.bodies.has(slot) ? this.world.centerOf(slot) : null;
  }

  frameAll() {
    const { positions } = this.world.poses.shown;
    const slots = [...this.world.bodies.values()].filter((body) => body.kind !== "static" && this.world.radii[body.slot] > 0 && !this.world.hidden[body.slot]);
    if (slots.length === 0) return this.camera.go("home");
    const center = new Vector3();
    for (const { slot } of slots) center.add(new Vector3().fromArray(positions, 3 * slot));
    center.divideScalar(slots.length);
    let radius = 0;
    for (const { slot } of slots) {
      radius = Math.max(radius, new Vector3().fromArray(positions, 3 * slot).distanceTo(center) + this.world.radii[slot]);
    }
    return this.camera.frame(center, radius);
  }

  // Pixels from the upper left of the picture.
  rayAt(x: number, y: number) {
    const { clientWidth, clientHeight } = this.container;
    return this.camera.ray((2 * x) / clientWidth - 1, 1 - (2 * y) / clientHeight);
  }

  pick(x: number, y: number): Hit | null {
    const seen = [...this.world.bodies.values()].filter((body) => this.world.hidden[body.slot] === 0 && !this.glass.slots.has(body.slot));
    return pickBody(this.rayAt(x, y), seen, this.world.poses.shown, this.world.radii, this.world.hulls);
  }
}
