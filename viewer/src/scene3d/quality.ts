// How well to draw, so that drawing keeps up: sharp with soft shadows on a good machine, coarse without shadows where the
// processor has to draw every pixel itself.
export interface Look {
  pixelRatio: number; // of the screen's own, at most 2
  shadowSize: number; // texels; 0: no shadows
  roundness: Roundness;
  dotRadius?: number; // pixels: smaller bodies are drawn as dots, where the processor draws
  slowMs: number; // between pictures: more than this for a while leads to the next look
}

// How many triangles a ball gets: "fitting" chooses by how many balls there are.
export type Roundness = "fitting" | "coarse" | "coarsest";

export const kLooks: readonly Look[] = [
  { pixelRatio: 2, shadowSize: 2048, roundness: "fitting", slowMs: 42 },
  { pixelRatio: 1, shadowSize: 2048, roundness: "fitting", slowMs: 42 },
  { pixelRatio: 1, shadowSize: 1024, roundness: "fitting", slowMs: 42 },
  { pixelRatio: 0.75, shadowSize: 512, roundness: "coarse", slowMs: 42 },
  { pixelRatio: 1, shadowSize: 0, roundness: "coarsest", dotRadius: 1.4, slowMs: 21 },
  { pixelRatio: 0.75, shadowSize: 0, roundness: "coarsest", dotRadius: 1.4, slowMs: 21 },
  { pixelRatio: 0.5, shadowSize: 0, roundness: "coarsest", dotRadius: 3, slowMs: Infinity },
];

const kFast = 20; // ms: shorter ones for longer lead back
const kLongest = 300; // ms: longer ones count as this
const kPatience = 800; // ms
const kCaution = 6000; // ms
const kWeight = 0.1; // of the newest frame in the running mean

export class Quality {
  level = 0;
  private mean = 1000 / 60; // ms
  private slowFor = 0; // ms
  private fastFor = 0; // ms
  private readonly failed = new Set<number>(); // looks that were too much: never tried again by itself
  isAutomatic = true;

  get look(): Look {
    return kLooks[this.level];
  }
  get frameMs(): number {
    return this.mean;
  }

  choose(level: number | "auto") {
    this.isAutomatic = level === "auto";
    this.failed.clear();
    if (level !== "auto") this.level = Math.min(Math.max(level, 0), kLooks.length - 1);
  }

  // The best that this machine can be expected to do with this scene: better than seconds of waiting for slow pictures, now or when it
  // would try for more. The person's own choice stands.
  guess(level: number): boolean {
    this.failed.clear();
    for (let better = 0; better < level; ++better) this.failed.add(better);
    return this.isAutomatic && level !== this.level && this.change(level);
  }

  // Takes the time between two frames that were drawn in a row; returns whether the look changed.
  observe(ms: number): boolean {
    if (!(ms > 0)) return false;
    // One long pause (a tab in the background, a scene being loaded) says little about drawing.
    ms = Math.min(ms, kLongest);
    this.mean += (ms - this.mean) * kWeight;
    this.slowFor = this.mean > this.look.slowMs ? this.slowFor + ms : 0;
    this.fastFor = this.mean < kFast ? this.fastFor + ms : 0;
    if (!this.isAutomatic) return false;
    if (this.slowFor > kPatience && this.level < kLooks.length - 1) {
      this.failed.add(this.level);
      return this.change(this.level + 1);
    }
    if (this.fastFor > kCaution && this.level > 0 && !this.failed.has(this.level - 1)) return this.change(this.level - 1);
    return false;
  }

  private change(level: number): boolean {
    this.level = level;
    this.slowFor = this.fastFor = 0;
    return true;
  }
}
