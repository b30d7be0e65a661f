// Numbers over time, for the plots: the last so many, without growing.
export type Row = (number | null)[];

export class Series {
  private rows: Row[] = [];

  // Each row starts with its time. Times rise: a row that is not later than the last takes its place or is left out.
  constructor(private readonly columns: number, private readonly most: number) {}

  get length(): number {
    return this.rows.length;
  }

  clear() {
    this.rows = [];
  }

  add(row: Row) {
    const last = this.rows[this.rows.length - 1];
    const time = row[0] as number;
    if (last !== undefined && time < (last[0] as number)) this.clear();
    if (last !== undefined && time === last[0]) this.rows.pop();
    this.rows.push(row);
    // In lumps, so that each row is moved once or twice in its life.
    if (this.rows.length > 1.25 * this.most) this.rows = this.rows.slice(-this.most);
  }

  // One array for each column, as uPlot wants them.
  table(): (number | null)[][] {
    return Array.from({ length: this.columns }, (_unused, column) => this.rows.map((row) => row[column]));
  }
}

// A logarithmic axis has no place for zero.
export function forLogarithm(value: number | null): number | null {
  return value === null || !(value > 0) ? null : Math.max(value, 1e-16);
}
