// The live lab: takes what the server says into the store and the world, and asks the server for what the person wants.
import { Connection } from "./connection";
import { type Frame, decodeFrame, frameNumber } from "./frame";
import type { Player } from "./player";
import { ProtocolError, type Message, type Vec3 } from "./protocol";
import { readMessage } from "./read_message";
import { type Store, holdsControls, takeRefusal, takeStats, wantedParts } from "./store";
import type { World } from "./world";

const kProtocol = 1;
const kNoticeGap = 5000; // ms between notices about damaged frames

export interface LiveEvents {
  sceneLoaded(): void;
  frameArrived(): void;
  statsArrived(): void;
  say(text: string, kind: "notice" | "problem"): void;
  lost(waitMs: number): void;
  controlsAreTaken(): void; // by another page, and this one wanted to do something
  refused(about: string): void; // a request was wrong: what the page shows of it must go back
}

export class Live implements Player {
  private readonly connection: Connection;
  private pending: ArrayBuffer | null = null; // the newest frame, not decoded yet
  private mayAskForControls = false; // once for each connection
  private lastNotice = -Infinity; // ms
  receivedFrames = 0;

  constructor(url: string, private readonly store: Store, private readonly world: World, private readonly events: LiveEvents) {
    this.connection = new Connection(url, {
      opened: () => {
        this.mayAskForControls = true;
        this.pending = null;
        store.set({ link: "open", refusal: null });
        this.connection.send({ do: "see", ...wantedParts(store.state.overlays) });
      },
      lost: (wait) => {
        this.pending = null;
        store.set({ link: "lost", hello: null, lab: null, slow: null });
        events.lost(wait);
      },
      text: (line) => this.takeText(line),
      frame: (buffer) => this.takeBinary(buffer),
    });
    store.on(["overlays"], (state) => this.connection.send({ do: "see", ...wantedParts(state.overlays) }));
    this.connection.open();
  }

  reconnect() {
    this.connection.retryNow();
  }

  private takeText(line: string) {
    try {
      const message = readMessage(line);
      if (message !== null) this.take(message);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.events.say(`The server said something that this page does not understand: ${error.message}`, "problem");
    }
  }

  private take(message: Message) {
    const { store } = this;
    switch (message.say) {
      case "hello":
        if (message.hello.protocol !== kProtocol) {
          this.events.say(`The server speaks version ${message.hello.protocol} of the protocol, this page version ${kProtocol}: reload the page.`, "problem");
        }
        store.set({ hello: message.hello, scenes: message.hello.scenes });
        break;
      case "scene": {
        const isOther = store.state.scene?.name !== message.scene.name;
        this.world.load(message.scene);
        store.set({
          scene: message.scene, settings: message.scene.settings, stats: null, refusal: null,
          bodiesVersion: store.state.bodiesVersion + 1,
          ...(isOther || !this.world.bodies.has(store.state.selected ?? -1) ? { selected: null, isFollowing: false } : {}),
        });
        this.events.sceneLoaded();
        break;
      }
      case "bodies": {
        if (message.epoch !== store.state.scene?.epoch) break;
        this.world.change(message.add, message.remove);
        const selected = store.state.selected;
        const isGone = selected !== null && message.remove.includes(selected);
        store.set({ bodiesVersion: store.state.bodiesVersion + 1, ...(isGone ? { selected: null, isFollowing: false } : {}) });
        break;
      }
      case "settings":
        store.set({ settings: message.settings });
        break;
      case "state":
        store.set({ lab: message.state });
        if (this.mayAskForControls && message.state.controls === null) this.connection.send({ do: "control" });
        this.mayAskForControls = false;
        break;
      case "stats":
        store.set(takeStats(store.state, message.stats));
        if (store.state.stats === message.stats) this.events.statsArrived();
        break;
      case "refusal":
        store.set(takeRefusal(store.state, message.text));
        break;
      case "problem":
        this.events.say(message.text, "problem");
        this.events.refused(message.about);
        break;
      case "notice":
        this.events.say(message.text, "notice");
        break;
      case "slow":
        store.set({ slow: message.seconds > 0 ? message.seconds : null });
        break;
    }
  }

  // Only the newest frame is kept. One that is thrown away is acknowledged too, or the server would wait for it forever.
  private takeBinary(buffer: ArrayBuffer) {
    this.receivedFrames += 1;
    if (this.pending !== null) this.acknowledge(this.pending);
    this.pending = buffer;
  }

  private acknowledge(buffer: ArrayBuffer) {
    const frame = frameNumber(buffer);
    if (frame !== null) this.connection.send({ do: "ack", frame });
  }

  // Called before a picture is drawn: a page that draws slowly acknowledges slowly, and so is sent fewer frames.
  beforeFrame(nowMs: number) {
    if (this.pending === null) return;
    const buffer = this.pending;
    this.pending = null;
    this.acknowledge(buffer);
    let frame: Frame;
    try {
      frame = decodeFrame(buffer);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      if (nowMs - this.lastNotice > kNoticeGap) this.events.say(`A damaged frame was left out: ${error.message}.`, "problem");
      this.lastNotice = nowMs;
      return;
    }
    if (frame.epoch !== this.store.state.scene?.epoch) return;
    this.world.take(frame, nowMs / 1000);
    this.events.frameArrived();
  }

  // Sends what needs the controls; takes them first if nobody holds them.
  request(message: { do: string } & Record<string, unknown>): boolean {
    const { state } = this.store;
    if (state.link !== "open" || state.hello === null) {
      this.events.say("There is no connection to the server.", "problem");
      return false;
    }
    if (!holdsControls(state)) {
      if (state.lab !== null && state.lab.controls !== null) {
        this.events.controlsAreTaken();
        return false;
      }
      this.connection.send({ do: "control" });
    }
    return this.connection.send(message);
  }

  takeControls() {
    this.connection.send({ do: "control" });
  }
  yieldControls() {
    this.connection.send({ do: "yield" });
  }

  toggle() {
    this.request({ do: this.store.state.lab?.playing ? "pause" : "play" });
  }
  step(count: number) {
    if (count < 1) {
      this.events.say("A live simulation cannot step back; a replay can.", "notice");
      return;
    }
    if (this.store.state.lab?.playing) this.request({ do: "pause" });
    this.request({ do: "step", count });
  }
  restart() {
    this.request({ do: "restart" });
  }
  record(on: boolean) {
    this.request({ do: "record", on });
  }
  setSpeed(value: number) {
    this.request({ do: "speed", value });
  }
  load(scene: string, set: Record<string, string> = {}) {
    this.request({ do: "load", scene, ...(Object.keys(set).length > 0 ? { set } : {}) });
  }
  set(key: string, value: string | number | boolean) {
    if (!this.request({ do: "set", key, value })) this.events.refused("set");
  }

  // The page draws relative to the scene's origin; requests are in world coordinates.
  toWorld(point: Vec3): Vec3 {
    const origin = this.store.state.scene?.origin ?? [0, 0, 0];
    return point.map((value, k) => value + origin[k]) as Vec3;
  }
}
