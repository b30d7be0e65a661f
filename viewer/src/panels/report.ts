// The report of a run (docs/report.md) as rows that one can read: a name, and a value with its unit.
import { formatNumber, formatUnit, plainName } from "../format";

type Row = readonly [string, string];
type Reader = (value: number) => string;

const kUnits: Record<string, Reader> = {
  dt: (value) => formatUnit(value, "s"),
  seconds: (value) => `${formatNumber(value)} s`,
  penetration_m: (value) => formatUnit(value, "m"),
  drift_m: (value) => formatUnit(value, "m"),
  joint_error_m: (value) => formatUnit(value, "m"),
  energy_j: (value) => formatUnit(value, "J"),
  time_ms: (value) => `${formatNumber(value)} ms`,
};

// A unit at the end of a field's name is said with the value instead.
const withoutUnit = (name: string) => plainName(name.replace(/_(m|j|ms|s)$/, ""));

export function reportRows(report: unknown, path: readonly string[] = []): Row[] {
  if (typeof report !== "object" || report === null || Array.isArray(report)) return [];
  return Object.entries(report).flatMap(([key, value]): Row[] => {
    const here = [...path, key];
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return reportRows(value, here);
    const name = here.map(withoutUnit).join(", ");
    if (typeof value === "number") {
      const isVariance = key === "variance";
      const read = isVariance ? undefined : kUnits[here[0]];
      if (isVariance) return [[name, `${formatNumber(value)} ms²`]];
      return [[name, read !== undefined ? read(value) : Number.isInteger(value) ? value.toLocaleString("en") : formatNumber(value)]];
    }
    if (value === null) return [[name, "–"]];
    return [[name, Array.isArray(value) ? value.join(", ") : String(value)]];
  });
}
