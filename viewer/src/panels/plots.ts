// Plots over time: energy, penetration, residual, iterations, times of the phases.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { formatNumber, plainName } from "../format";
import { kPhaseNames } from "../protocol";
import { el } from "./dom";

interface Line {
  label: string;
  colour: string; // a CSS variable
  isFilled?: boolean;
}

interface PlotText {
  title: string;
  unit: string;
  lines: Line[];
  isLogarithmic?: boolean;
  isStacked?: boolean;
}

const kPhaseColours = ["--p8", "--p1", "--p2", "--p7", "--p3", "--p4", "--p5", "--p9", "--p6"];

export const kPlots: readonly PlotText[] = [
  { title: "Energy", unit: "J", lines: [{ label: "kin.", colour: "--p1" }, { label: "pot.", colour: "--p2" }, { label: "sum", colour: "--p4" }] },
  { title: "Penetration", unit: "mm", lines: [{ label: "deepest", colour: "--p4" }] },
  { title: "Residual", unit: "relative", lines: [{ label: "worst", colour: "--p5" }], isLogarithmic: true },
  { title: "Iterations", unit: "per step", lines: [{ label: "solver", colour: "--p3" }] },
  { title: "Time of a step", unit: "ms", lines: kPhaseNames.map((name, k) => ({ label: plainName(name), colour: kPhaseColours[k] })), isStacked: true },
];

type Column = (number | null)[];

// Stacked from the first column up; the last is drawn first, behind the others.
export function stack(columns: Column[]): Column[] {
  const sums: Column[] = [];
  for (const column of columns) {
    const below = sums[sums.length - 1];
    sums.push(column.map((value, k) => (value ?? 0) + (below?.[k] ?? 0)));
  }
  return sums;
}

const colourOf = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// 1.2e6 is 1.2M, so that axes stay narrow.
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  for (const [factor, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]] as const) {
    if (size >= factor) return `${Number((value / factor).toPrecision(3))}${letter}`;
  }
  return size !== 0 && size < 1e-3 ? value.toExponential(0) : String(Number(value.toPrecision(3)));
}

class Plot {
  readonly element: HTMLElement;
  private readonly chart: uPlot;
  private readonly values: HTMLElement[];
  private readonly sum = el("b", { class: "sum" });
  private columns: Column[] = [];

  constructor(private readonly text: PlotText, private readonly now: () => number | null, seek: ((time: number) => void) | null) {
    this.values = text.lines.map(() => el("b", {}));
    const legend = el("div", { class: "legend" });
    text.lines.forEach((line, k) => {
      const swatch = el("i", { style: `background: var(${line.colour})` });
      legend.append(el("span", { title: line.label }, swatch, `${line.label} `, this.values[k]));
    });
    const body = el("div", { class: "plot-body" });
    const caption = el("figcaption", {}, el("strong", {}, text.title), ` ${text.unit}`, this.sum);
    // Many names stand in a column beside the plot, few in its title.
    if (!text.isStacked) caption.append(legend);
    this.element = el(
      "figure", { class: text.isStacked ? "plot stacked" : "plot", "data-plot": text.title }, caption,
      el("div", { class: "plot-row" }, body, text.isStacked ? legend : null),
    );
    const series: uPlot.Series[] = text.lines.map((line) => ({
      label: line.label,
      stroke: () => colourOf(line.colour),
      width: text.isStacked ? 0.5 : 1.5,
      points: { show: false },
      spanGaps: true, // what is measured now and then only
      ...(text.isStacked ? { fill: () => colourOf(line.colour) } : {}),
    }));
    if (text.isStacked) series.reverse();
    const axis: uPlot.Axis = {
      stroke: () => colourOf("--muted"),
      grid: { stroke: () => colourOf("--grid"), width: 1 },
      ticks: { show: false },
      font: "11px system-ui, sans-serif",
      size: 22, gap: 3, space: 50,
    };
    this.chart = new uPlot(
      {
        width: 200, height: 100, series: [{}, ...series], legend: { show: false }, padding: [6, 8, 0, 0],
        cursor: { drag: { x: false, y: false }, points: { size: 5 }, y: false },
        scales: { x: { time: false, range: timeRange }, y: text.isLogarithmic ? { distr: 3, range: (_chart, low, high) => decades(low, high) } : { range: linearRange } },
        axes: [
          { ...axis, values: (_chart, ticks) => ticks.map((tick) => `${shortNumber(tick)}`) },
          {
            ...axis, size: 46, space: text.isLogarithmic ? 14 : 24,
            values: (_chart, ticks) => ticks.map((tick) => (tick === null ? "" : text.isLogarithmic ? tick.toExponential(0) : shortNumber(tick))),
            ...(text.isLogarithmic ? { splits: (_chart: uPlot, _axis: number, low: number, high: number) => powers(low, high) } : {}),
          },
        ],
        hooks: { setCursor: [() => this.showValues()], draw: [(chart) => this.drawNow(chart)] },
      },
      [[], ...text.lines.map(() => [])] as unknown as uPlot.AlignedData, body,
    );
    if (seek !== null) {
      this.chart.over.addEventListener("click", () => {
        const { left } = this.chart.cursor;
        if (left !== undefined && left >= 0) seek(this.chart.posToVal(left, "x"));
      });
    }
    new ResizeObserver(() => this.resize(body)).observe(body);
  }

  private resize(body: HTMLElement) {
    if (body.clientWidth > 40 && body.clientHeight > 30) this.chart.setSize({ width: body.clientWidth, height: body.clientHeight });
  }

  // Columns of the lines, in order, below the times.
  show(times: Column, columns: Column[]) {
    this.columns = columns;
    const drawn = this.text.isStacked ? stack(columns).reverse() : columns;
    this.chart.setData([times, ...drawn] as uPlot.AlignedData);
    this.showValues();
  }

  // At the mouse, or at the present moment, or at the end.
  private showValues() {
    const times = this.chart.data[0];
    let index = this.chart.cursor.idx ?? null;
    const now = this.now();
    if (index === null && now !== null && times.length > 0) index = this.chart.valToIdx(now);
    index ??= times.length - 1;
    let sum = 0;
    this.columns.forEach((column, k) => {
      let at = index;
      while (at > 0 && column[at] === null) at -= 1; // the newest that was measured
      const value = column[at] ?? null;
      sum += value ?? 0;
      if (!this.text.isStacked) this.values[k].textContent = value === null ? "–" : shortNumber(value);
      else this.values[k].parentElement!.title = `${this.text.lines[k].label}: ${formatNumber(value)} ms`;
    });
    if (this.text.isStacked) this.sum.textContent = index >= 0 ? formatNumber(sum) : "";
  }

  redraw() {
    this.chart.redraw(false);
    this.showValues();
  }

  private drawNow(chart: uPlot) {
    const now = this.now();
    if (now === null) return;
    const x = Math.round(chart.valToPos(now, "x", true));
    const { ctx, bbox } = chart;
    if (x < bbox.left || x > bbox.left + bbox.width) return;
    ctx.save();
    ctx.strokeStyle = colourOf("--accent");
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }
}

// Also without data there is an axis.
function timeRange(_chart: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low)) return [0, 1];
  return low === high ? [low, low + 1] : [low, high];
}

function linearRange(_chart: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const from = Math.min(low, 0);
  const to = Math.max(high, 0);
  return from === to ? [0, 1] : [from < 0 ? from * 1.05 : 0, to > 0 ? to * 1.08 : 0];
}

// Exactly what one would write; 10 ** -4 is a little less.
const powerOfTen = (power: number) => Number(`1e${power}`);

export function decades(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !(low > 0) || !(high > 0)) return [1e-6, 1];
  const from = Math.floor(Math.log10(low));
  return [powerOfTen(from), powerOfTen(Math.max(Math.ceil(Math.log10(high)), from + 1))];
}

function powers(low: number, high: number): number[] {
  const from = Math.round(Math.log10(low));
  const to = Math.round(Math.log10(high));
  const every = Math.max(1, Math.ceil((to - from) / 5));
  const found: number[] = [];
  for (let power = from; power <= to; power += every) found.push(powerOfTen(power));
  return found;
}

export class Plots {
  private readonly plots: Plot[];

  constructor(parent: HTMLElement, now: () => number | null, seek: ((time: number) => void) | null) {
    this.plots = kPlots.map((text) => new Plot(text, now, seek));
    parent.append(...this.plots.map((plot) => plot.element));
  }

  // Columns as in kPlots, one list for each plot.
  show(times: Column, columns: Column[][]) {
    this.plots.forEach((plot, k) => plot.show(times, columns[k]));
  }

  redraw() {
    for (const plot of this.plots) plot.redraw();
  }
}
