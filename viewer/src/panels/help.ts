// The list of keys, in a dialog.
import type { KeyGroup } from "../keys";
import { el } from "./dom";

export function helpDialog(groups: readonly KeyGroup[], mouse: readonly (readonly [string, string])[]): HTMLDialogElement {
  const table = (title: string, rows: readonly (readonly [string, string])[]) =>
    el("section", {}, el("h3", {}, title), el("dl", {}, ...rows.flatMap(([keys, what]) => [
      el("dt", {}, ...keys.split(" ").map((key) => el("kbd", {}, key))), el("dd", {}, what),
    ])));
  const dialog = el("dialog", { class: "help", "aria-labelledby": "help-title" });
  dialog.append(
    el("header", {}, el("h2", { id: "help-title" }, "Keys and mouse"),
      el("button", { class: "close", "aria-label": "Close", onclick: () => dialog.close() }, "×")),
    el("div", { class: "help-columns" }, ...groups.map((group) => table(group.title, group.keys.map((key) => [key.label, key.what] as const))),
      table("Mouse and touch", mouse)),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  return dialog;
}
