// Small helpers to make elements.
type Properties = Record<string, unknown>;
type Child = Node | string | null | false;

// el("button", { class: "wide", onclick: f, "aria-label": "…" }, "text"): functions become listeners, the rest attributes.
export function el<K extends keyof HTMLElementTagNameMap>(tag: K, properties: Properties = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on") && typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== false));
  return element;
}

const kIcons: Record<string, string> = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M6 4.5h4.5v15H6zM13.5 4.5H18v15h-4.5z",
  step: "M5 4.5v15l10-7.5zM16.5 4.5H19v15h-2.5z",
  stepBack: "M19 4.5v15L9 12zM5 4.5h2.5v15H5z",
  restart: "M12 5V1.5L6.5 6.5 12 11.5V8a5.5 5.5 0 1 1-5.5 5.5h-3A8.5 8.5 0 1 0 12 5z",
  record: "M12 5a7 7 0 1 0 0 14a7 7 0 1 0 0-14z",
  recording: "M6 6h12v12H6z",
  loop: "M6 8h9v3l5-4.5L15 2v3H3v7h3zm12 8H9v-3l-5 4.5L9 22v-3h12v-7h-3z",
};

export function icon(name: keyof typeof kIcons): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "icon");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", kIcons[name]);
  svg.append(path);
  return svg;
}

// A part of a side panel that opens and closes.
export function section(title: string, isOpen: boolean, ...children: Child[]): HTMLDetailsElement {
  return el("details", { class: "section", open: isOpen }, el("summary", {}, title), el("div", { class: "section-body" }, ...children));
}

let count = 0;

// A label and the field that it names.
export function field(label: string, input: HTMLElement, hint?: string): HTMLDivElement {
  input.id ||= `field-${++count}`;
  return el("div", { class: "field", title: hint ?? null }, el("label", { for: input.id }, label), input);
}

// Fills a list of choices, keeping the element: it may have the focus.
export function setOptions(select: HTMLSelectElement, names: readonly string[], labels: readonly string[] = names) {
  const wanted = names.join("\n");
  if (select.dataset.names === wanted) return;
  select.dataset.names = wanted;
  select.replaceChildren(...names.map((name, k) => el("option", { value: name }, labels[k])));
}
