// What one can do to the world besides pulling: throw, drop, pin, delete, lift. Sizes fit the scene.
import type { Live } from "./live";
import type { Pointer } from "./pointer";
import type { Vec3 } from "./protocol";
import type { Store } from "./store";
import type { World } from "./world";

export interface ToolSettings {
  ballRadius: number; // m
  ballSpeed: number; // m/s
  ballDensity: number; // kg/m³
  shape: string;
  size: number; // m
}

// Two significant digits.
const round = (value: number) => Number(value.toPrecision(2));

export function defaultTools(radius: number): ToolSettings {
  return { ballRadius: round(0.04 * radius), ballSpeed: round(4 * Math.sqrt(9.81 * radius)), ballDensity: 2000, shape: "box", size: round(0.08 * radius) };
}

export class Tools {
  settings = defaultTools(1);
  private isLifting = false;

  constructor(private readonly store: Store, private readonly world: World, private readonly live: Live, private readonly pointer: Pointer) {}

  private get selectedName(): string | null {
    const { selected } = this.store.state;
    return selected === null ? null : (this.world.bodies.get(selected)?.name ?? null);
  }

  throwBall() {
    const { origin, direction } = this.pointer.pointUnder();
    const { ballRadius: radius, ballSpeed, ballDensity: density } = this.settings;
    const from = origin.map((value, k) => value + 2 * radius * direction[k]) as Vec3;
    this.live.request({
      do: "throw", from: this.live.toWorld(from), velocity: direction.map((value) => value * ballSpeed), radius, density,
    });
  }

  // A little above what is under the mouse, so that it falls.
  dropShape() {
    const { shape, size } = this.settings;
    const up = this.store.state.scene?.up ?? [0, 0, 1];
    const at = this.pointer.pointUnder().point.map((value, k) => value + 2 * size * up[k]) as Vec3;
    this.live.request({ do: "add", shape, at: this.live.toWorld(at), size });
  }

  togglePin() {
    const body = this.selectedName;
    if (body === null) return;
    const isPinned = this.store.state.lab?.pinned.includes(this.store.state.selected ?? -1) ?? false;
    this.live.request({ do: isPinned ? "unpin" : "pin", body });
  }

  deleteBody() {
    const body = this.selectedName;
    if (body !== null) this.live.request({ do: "delete", body });
  }

  // The mouse's spring without a mouse: pulls the selected body up for as long as a key or button is held.
  startLift() {
    const { selected, scene } = this.store.state;
    const body = selected === null ? undefined : this.world.bodies.get(selected);
    if (this.isLifting || body === undefined || body.kind !== "dynamic" || scene === null) return;
    const height = 3 * Math.max(this.world.radii[body.slot], 0.02 * scene.radius);
    const to = this.world.centerOf(body.slot).map((value, k) => value + height * scene.up[k]) as Vec3;
    this.isLifting = this.live.request({ do: "grab", body: body.name, at: body.center, to: this.live.toWorld(to) });
  }

  endLift() {
    if (this.isLifting) this.live.request({ do: "release" });
    this.isLifting = false;
  }
}
