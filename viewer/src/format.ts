// Numbers as people read them.

const kMissing = "–";

// Three significant digits or so, without "e" where a plain number does.
export function formatNumber(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return kMissing;
  if (value === 0) return "0";
  const size = Math.abs(Number(value.toPrecision(digits)));
  if (size >= 1e6 || size < 1e-3) return value.toExponential(Math.max(digits - 2, 0)).replace("e+", "e").replace("-", "−");
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return value.toFixed(Math.min(decimals, 6)).replace("-", "−");
}

const kPrefixes: readonly [number, string][] = [
  [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"],
];

// 0.00051 m is 510 µm, 1569600 J is 1.57 MJ.
export function formatUnit(value: number | null | undefined, unit: string, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return kMissing;
  if (value === 0) return `0 ${unit}`;
  // Rounding may carry into the next prefix: 999.9996 mm is 1.00 m.
  const size = Math.abs(Number(value.toPrecision(digits)));
  const [factor, prefix] = kPrefixes.find(([least]) => size >= least * (1 - 1e-12)) ?? kPrefixes[kPrefixes.length - 1];
  return `${formatNumber(value / factor, digits)} ${prefix}${unit}`;
}

export function formatTime(seconds: number): string {
  if (!Number.isFinite(seconds)) return kMissing;
  if (seconds < 60) return `${seconds.toFixed(2)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${(seconds - 60 * minutes).toFixed(2).padStart(5, "0")} min`;
}

// A step's length, both ways round: "60 Hz = 16.667 ms".
export function formatStep(dt: number): string {
  if (!(dt > 0)) return kMissing;
  return `${formatNumber(1 / dt, 4)} Hz = ${formatNumber(1e3 * dt, 5)} ms`;
}

// "broad_phase" is shown as "broad phase".
export function plainName(name: string): string {
  return name.replace(/_/g, " ");
}

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
