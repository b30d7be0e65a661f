// Gathers the server's statistics for the plots, and draws them a few times a second while they are seen.
import { type Stats, kPhaseNames } from "../protocol";
import { Plots } from "./plots";
import { Series, forLogarithm } from "./series";

const kMostRows = 900; // at 30 a second the last half minute
const kRefresh = 120; // ms

export class LivePlots {
  private readonly series = new Series(7 + kPhaseNames.length, kMostRows);
  private readonly plots: Plots;
  private isStale = false;

  constructor(private readonly parent: HTMLElement) {
    this.plots = new Plots(parent, () => null, null);
    setInterval(() => this.draw(), kRefresh);
  }

  clear() {
    this.series.clear();
    this.isStale = true;
  }

  add(stats: Stats) {
    const { kinetic, potential, penetration, residual, iterations, phases } = stats;
    this.series.add([
      stats.time, kinetic, potential, kinetic + potential, penetration === null ? null : 1e3 * penetration, forLogarithm(residual), iterations,
      ...kPhaseNames.map((_name, k) => phases[k] ?? null),
    ]);
    this.isStale = true;
  }

  private draw() {
    if (!this.isStale || this.parent.hidden || document.hidden) return;
    this.isStale = false;
    const [times, kinetic, potential, total, penetration, residual, iterations, ...phases] = this.series.table();
    this.plots.show(times, [[kinetic, potential, total], [penetration], [residual], [iterations], phases]);
  }

  redraw() {
    this.plots.redraw();
  }
}
