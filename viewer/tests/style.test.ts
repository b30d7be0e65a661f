import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

// The contrast of WCAG 2: text needs 4.5, lines of plots 3.
function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

const css = readFileSync(new URL("../src/style.css", import.meta.url), "utf8");
function variables(selector: string): Record<string, string> {
  const start = css.indexOf(`${selector} {`);
  const block = css.slice(start, css.indexOf("}", start));
  return Object.fromEntries([...block.matchAll(/(--[\w-]+): (#[0-9a-f]{6})/g)].map((match) => [match[1], match[2]]));
}

describe.each([["light", ":root"], ["dark", ':root[data-theme="dark"]']])("colours: %s", (_name, selector) => {
  const colour = variables(selector);
  it.each([
    ["--text", "--panel"], ["--text", "--background"], ["--text", "--hover"], ["--muted", "--panel"], ["--accent", "--panel"],
    ["--accent-text", "--accent"], ["--warning-text", "--warning"], ["--error-text", "--error"],
  ])("%s can be read on %s", (text, ground) => {
    expect(contrast(colour[text], colour[ground])).toBeGreaterThanOrEqual(4.5);
  });
  it("has lines of plots and a focus ring that are seen", () => {
    for (const line of ["--p1", "--p2", "--p3", "--p4", "--p5", "--p6", "--p7", "--p8", "--focus"]) {
      expect(contrast(colour[line], colour["--panel"]), line).toBeGreaterThanOrEqual(3);
    }
  });
});
