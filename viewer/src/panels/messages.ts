// Banners stay until their reason is gone; toasts go by themselves.
import { el } from "./dom";

const kToastTime = 6000; // ms
const kMostToasts = 4;

export interface BannerButton {
  label: string;
  press(): void;
}

export class Messages {
  private readonly shown = new Map<string, HTMLElement>();

  constructor(private readonly banners: HTMLElement, private readonly toasts: HTMLElement) {}

  // A banner of the same name takes the place of the old one.
  banner(name: string, kind: "warning" | "error" | "info", text: string, buttons: BannerButton[] = []) {
    const old = this.shown.get(name);
    if (old !== undefined) {
      const words = old.querySelector(".banner-text");
      if (words !== null && old.dataset.labels === labels(buttons)) {
        // Only the words: a button must not lose the focus.
        if (words.textContent !== text) words.textContent = text;
        return;
      }
      old.remove();
    }
    const banner = el(
      "div", { class: `banner ${kind}`, role: "alert", "data-banner": name, "data-labels": labels(buttons) }, el("span", { class: "banner-text" }, text),
      ...buttons.map((button) => el("button", { onclick: () => button.press() }, button.label)),
    );
    this.shown.set(name, banner);
    this.banners.append(banner);
  }

  clear(name: string) {
    this.shown.get(name)?.remove();
    this.shown.delete(name);
  }

  toast(text: string, kind: "notice" | "problem" = "notice", button?: BannerButton) {
    const last = this.toasts.lastElementChild;
    if (last !== null && last.firstChild?.textContent === text) return;
    const toast = el("div", { class: `toast ${kind}` }, el("span", {}, text));
    if (button !== undefined) toast.append(el("button", { onclick: () => (button.press(), toast.remove()) }, button.label));
    toast.append(el("button", { class: "close", "aria-label": "Close this message", onclick: () => toast.remove() }, "×"));
    while (this.toasts.childElementCount >= kMostToasts) this.toasts.firstElementChild!.remove();
    this.toasts.append(toast);
    setTimeout(() => toast.remove(), kToastTime);
  }
}

const labels = (buttons: BannerButton[]) => buttons.map((button) => button.label).join("\n");
