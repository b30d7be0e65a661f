// Light and dark: the system's choice, until the person makes one.
import type { Theme } from "../scene3d/view";

const kKey = "cairn-theme";
const kNext = { auto: "light", light: "dark", dark: "auto" } as const;
type Choice = keyof typeof kNext;

// A page from disk may not be allowed to remember anything.
function recall(): Choice {
  try {
    const stored = localStorage.getItem(kKey);
    return stored === "light" || stored === "dark" ? stored : "auto";
  } catch {
    return "auto";
  }
}
function remember(choice: Choice) {
  try {
    localStorage.setItem(kKey, choice);
  } catch {
    // The choice holds for this visit only.
  }
}

export class ThemeSwitch {
  private choice = recall();
  private readonly system = matchMedia("(prefers-color-scheme: dark)");

  constructor(private readonly button: HTMLButtonElement, private readonly changed: (theme: Theme) => void) {
    button.addEventListener("click", () => this.next());
    this.system.addEventListener("change", () => this.apply());
    this.apply();
  }

  next() {
    this.choice = kNext[this.choice];
    remember(this.choice);
    this.apply();
  }

  private apply() {
    const isDark = this.choice === "dark" || (this.choice === "auto" && this.system.matches);
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    this.button.textContent = { auto: "◐", light: "☀", dark: "☾" }[this.choice];
    this.button.title = `Colours: ${this.choice === "auto" ? "as the system" : this.choice} (D)`;
    this.button.setAttribute("aria-label", this.button.title);
    const style = getComputedStyle(document.documentElement);
    const value = (name: string) => style.getPropertyValue(name).trim();
    this.changed({ background: value("--sky"), ground: value("--ground"), lines: value("--ground-line") });
  }
}
