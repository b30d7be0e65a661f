// The gallery: pictures, search, and what the present scene is about.
import { countOf } from "../format";
import type { Live } from "../live";
import type { SceneEntry } from "../protocol";
import { searchScenes } from "../search";
import type { Store } from "../store";
import { el } from "./dom";

function card(entry: SceneEntry, isCurrent: boolean, load: () => void): HTMLElement {
  const picture = el("img", { "data-src": `pictures/${encodeURIComponent(entry.name)}.png`, alt: "", width: 84, height: 47 });
  picture.addEventListener("error", () => picture.classList.add("missing"));
  return el(
    "li", {},
    el(
      "button", { class: "card", "aria-current": isCurrent ? "true" : null, title: entry.description || null, onclick: load, "data-scene": entry.name },
      picture,
      el("span", { class: "card-text" }, el("strong", {}, entry.name), el("span", {}, entry.title), el("small", {}, countOf(entry.bodies, "body", "bodies"))),
    ),
  );
}

// Pictures are asked for when they come into sight: the server draws each of them at its first request.
function lazyPictures(parent: HTMLElement): (pictures: Iterable<HTMLImageElement>) => void {
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      (target as HTMLImageElement).src = (target as HTMLImageElement).dataset.src!;
    }
  }, { root: parent, rootMargin: "60px" });
  return (pictures) => {
    observer.disconnect();
    for (const picture of pictures) observer.observe(picture);
  };
}

export function scenesPanel(parent: HTMLElement, store: Store, live: Live): { focus(): void } {
  const search = el("input", { type: "search", placeholder: "Search scenes  ( / )", "aria-label": "Search scenes" });
  const list = el("ul", { class: "cards" });
  const empty = el("p", { class: "empty", role: "status" });
  const watch = lazyPictures(parent);
  const show = () => {
    const { scenes, scene } = store.state;
    const found = searchScenes(scenes, search.value);
    list.replaceChildren(...found.map((entry) => card(entry, entry.name === scene?.name, () => live.load(entry.name))));
    watch(list.querySelectorAll("img"));
    empty.textContent = found.length === 0 && scenes.length > 0 ? `No scene has “${search.value}” in its name or description.` : "";
  };
  search.addEventListener("input", show);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") list.querySelector("button")?.click();
    if (event.key === "ArrowDown") {
      event.preventDefault();
      list.querySelector("button")?.focus();
    }
  });
  list.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const cards = [...list.querySelectorAll("button")];
    const next = cards.indexOf(document.activeElement as HTMLButtonElement) + (event.key === "ArrowDown" ? 1 : -1);
    event.preventDefault();
    event.stopPropagation();
    (cards[next] ?? (next < 0 ? search : undefined))?.focus();
  });
  store.on(["scenes"], show);
  store.on(["scene"], (state) => {
    for (const item of list.querySelectorAll("button")) {
      if (item.dataset.scene === state.scene?.name) item.setAttribute("aria-current", "true");
      else item.removeAttribute("aria-current");
    }
  });
  parent.append(el("div", { class: "search" }, search), empty, list);
  return { focus: () => search.focus() };
}
