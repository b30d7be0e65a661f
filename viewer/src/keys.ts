// The keyboard: one list, used for the keys themselves and for the help.
export interface Key {
  keys: string[]; // as in KeyboardEvent.key, letters in lower case
  label: string; // how the help writes them
  what: string;
  press(event: KeyboardEvent): void;
  release?(): void;
}
export interface KeyGroup {
  title: string;
  keys: Key[];
}

// What the element that has the focus needs for itself.
function isTakenBy(element: Element | null, key: string): boolean {
  if (!(element instanceof HTMLElement)) return false;
  if (element instanceof HTMLInputElement) {
    if (element.type === "checkbox") return key === " ";
    if (element.type === "range") return key.startsWith("Arrow") || key.startsWith("Page") || key === "Home" || key === "End";
    return true;
  }
  if (element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement || element.isContentEditable) return true;
  const isButton = element instanceof HTMLButtonElement || element.tagName === "SUMMARY";
  return isButton && (key === " " || key === "Enter");
}

export function listenForKeys(groups: () => readonly KeyGroup[], isBlocked: () => boolean) {
  const find = (key: string) => {
    const name = key.length === 1 ? key.toLowerCase() : key;
    return groups().flatMap((group) => group.keys).find((entry) => entry.keys.includes(name));
  };
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isBlocked()) return;
    if (event.key !== "Escape" && isTakenBy(document.activeElement, event.key)) return;
    const entry = find(event.key);
    if (entry === undefined || event.defaultPrevented) return;
    event.preventDefault();
    if (event.repeat && entry.release !== undefined) return;
    entry.press(event);
  });
  window.addEventListener("keyup", (event) => find(event.key)?.release?.());
  // A button pressed with the mouse does not keep the focus: the next space is for play and pause.
  document.addEventListener("click", (event) => {
    const button = (event.target as Element | null)?.closest("button");
    if (event.detail > 0 && button != null) button.blur();
  });
}
