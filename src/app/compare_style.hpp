// The style of the page that `cairn compare` writes. One-letter classes belong to the plots.
#pragma once

namespace cairn {

inline constexpr const char* kCompareStyle = R"css(
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #fff; --ink: #1c2127; --soft: #5c6773; --line: #dfe3e8;
  --best: #e3f4ea; --best-ink: #12643a; --bad: #b3261e; --warn: #8a5a00; --warn-card: #fdf3dc;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101316; --card: #181c20; --ink: #e4e8ec; --soft: #9aa5b1; --line: #2c333a;
    --best: #16382a; --best-ink: #7fdcab; --bad: #ff8a80; --warn: #f0c36d; --warn-card: #2d2616;
  }
  .plot svg { filter: invert(0.91) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif;
}
main { max-width: 1280px; margin: 0 auto; padding: 32px 24px 48px; }
h1 { font-size: 26px; line-height: 1.25; margin: 2px 0 6px; }
h2 { font-size: 17px; margin: 32px 0 10px; }
code { font: 0.92em ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.over { color: var(--soft); margin: 0; }
.lead { margin: 0 0 14px; max-width: 80ch; }
.facts { display: flex; flex-wrap: wrap; gap: 8px 28px; margin: 0; }
.facts dt { color: var(--soft); font-size: 12px; }
.facts dd { margin: 0; font-weight: 600; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 12.5px; font-variant-numeric: tabular-nums; }
th, td { padding: 7px 6px; text-align: right; white-space: nowrap; }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; cursor: help; }
thead tr:first-child th { font-size: 12px; font-weight: 500; text-align: left; cursor: default; padding-bottom: 0; }
thead tr:last-child th { border-bottom: 1px solid var(--line); text-decoration: underline dotted var(--soft); text-underline-offset: 3px; }
tbody tr + tr > * { border-top: 1px solid var(--line); }
.name, .words { text-align: left !important; }
tbody th { font-weight: 600; }
.edge { border-left: 1px solid var(--line); }
.words { color: var(--soft); white-space: normal; min-width: 84px; }
sup { line-height: 0; font-size: 0.75em; }
tr > :first-child { padding-left: 14px; }
.best { background: var(--best); color: var(--best-ink); font-weight: 600; }
.lost { color: var(--bad); font-weight: 600; }
.none { color: var(--soft); }
.cut { display: block; color: var(--warn); font-weight: 500; font-size: 12px; }
.key { color: var(--soft); font-size: 13px; margin: 8px 2px 0; }
.swatch { padding: 1px 6px; border-radius: 4px; }
.shortfalls { background: var(--warn-card); border: 1px solid var(--line); border-radius: 10px; margin: 0; padding: 12px 18px 12px 34px; }
.plot { margin: 0 0 16px; }
.plot svg { display: block; width: 100%; height: auto; }
details { margin-top: 12px; }
summary { cursor: pointer; color: var(--soft); }
.words-list dt { font-weight: 600; margin-top: 8px; }
.words-list dd { margin: 0; max-width: 90ch; color: var(--soft); }
footer { margin-top: 32px; color: var(--soft); font-size: 13px; }
@media print { main { max-width: none; padding: 0; } .card { overflow: visible; } }
)css";

}  // namespace cairn
