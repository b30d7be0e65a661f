// The selected body: what it is, where it is, how fast it is; and what can be done to it.
import { formatNumber, formatUnit } from "../format";
import type { Body } from "../protocol";
import { Flags } from "../frame";
import type { Store } from "../store";
import type { Tools } from "../tools";
import type { World } from "../world";
import { el, section } from "./dom";

const kRefresh = 100; // ms

// The first body whose name is what was typed, or starts with it, or contains it.
export function findBody(bodies: Iterable<Body>, query: string): Body | null {
  const words = query.trim().toLowerCase();
  if (words === "") return null;
  let best: Body | null = null;
  let rank = 3;
  for (const body of bodies) {
    const name = body.name.toLowerCase();
    const found = name === words ? 0 : name.startsWith(words) ? 1 : name.includes(words) ? 2 : 3;
    if (found < rank) [best, rank] = [body, found];
  }
  return best;
}

// The next body in order of slots, or the one before.
export function neighbourBody(bodies: Iterable<Body>, slot: number | null, direction: 1 | -1): number | null {
  const slots = [...bodies].filter((body) => body.kind !== "static").map((body) => body.slot).sort((a, b) => a - b);
  if (slots.length === 0) return null;
  const at = slot === null ? -1 : slots.indexOf(slot);
  if (at < 0) return direction > 0 ? slots[0] : slots[slots.length - 1];
  return slots[(at + direction + slots.length) % slots.length];
}

export function inspectorPanel(parent: HTMLElement, store: Store, world: World, tools: Tools | null, follow: () => void) {
  const search = el("input", { type: "search", placeholder: "Name of a body, then Enter", "aria-label": "Select a body by its name" });
  const table = el("dl", { class: "facts" });
  const none = el("p", { class: "empty" }, "Click a body, or use J and K.");
  const followButton = el("button", { "aria-pressed": "false", onclick: follow, title: "Follow (F)" }, "Follow");
  const pin = el("button", { onclick: () => tools?.togglePin(), title: "Pin or unpin (P)" }, "Pin");
  const remove = el("button", { onclick: () => tools?.deleteBody(), title: "Delete (Del)" }, "Delete");
  const lift = el("button", { title: "Pulls the body up while held (U)" }, "Lift");
  lift.addEventListener("pointerdown", () => tools?.startLift());
  for (const end of ["pointerup", "pointerleave", "blur"]) lift.addEventListener(end, () => tools?.endLift());
  lift.addEventListener("keydown", (event) => event.key === " " && !event.repeat && tools?.startLift());
  lift.addEventListener("keyup", () => tools?.endLift());
  const buttons = el("div", { class: "buttons" }, followButton, ...(tools === null ? [] : [lift, pin, remove]));
  parent.append(section("Body", true, search, none, table, buttons));

  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const found = findBody(world.bodies.values(), search.value);
    search.setCustomValidity(found === null ? "No body has such a name." : "");
    search.reportValidity();
    if (found !== null) store.set({ selected: found.slot });
  });
  search.addEventListener("input", () => search.setCustomValidity(""));

  let shown = "";
  const show = () => {
    const { selected, lab, isFollowing, scene } = store.state;
    const body = selected === null ? undefined : world.bodies.get(selected);
    none.hidden = body !== undefined;
    buttons.hidden = table.hidden = body === undefined;
    if (body === undefined || scene === null) return;
    followButton.setAttribute("aria-pressed", String(isFollowing));
    const isPinned = lab?.pinned.includes(body.slot) ?? false;
    pin.textContent = isPinned ? "Unpin" : "Pin";
    lift.disabled = pin.disabled = body.kind !== "dynamic";
    const at = world.centerOf(body.slot).map((value, k) => value + scene.origin[k]);
    const flags = world.poses.flags[body.slot];
    const marks = [isPinned && "pinned", flags & Flags.asleep && "asleep", flags & Flags.quarantined && "quarantined"].filter(Boolean);
    const facts: [string, string][] = [
      ["Name", body.name],
      ["Kind", [body.kind, ...marks].join(", ")],
      ["Mass", body.kind === "dynamic" ? `${formatNumber(body.mass, 4)} kg` : "–"],
      ["Centre", `${at.map((value) => value.toFixed(3).replace("-", "−")).join(", ")} m`],
      ["Speed", body.kind === "static" ? "–" : formatUnit(world.speedOf(body.slot), "m/s")],
    ];
    const text = JSON.stringify(facts);
    if (text === shown) return;
    shown = text;
    table.replaceChildren(...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
  };
  store.on(["selected", "lab", "isFollowing", "bodiesVersion", "scene"], show);
  setInterval(show, kRefresh);
}
