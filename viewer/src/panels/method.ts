// The method: every change goes to the server at once, and what the server answers is what is shown.
import { formatNumber, formatStep } from "../format";
import type { Live } from "../live";
import type { Settings, Vec3 } from "../protocol";
import type { Store } from "../store";
import { el, field, section, setOptions } from "./dom";

const kLaws = ["auto", "cone", "pyramid", "box", "none"] as const;
const kGravities: readonly [string, number][] = [["Earth", 9.81], ["Moon", 1.62], ["Mars", 3.72], ["Jupiter", 24.8], ["None", 0]];

const kSteppers: Record<string, string> = {
  soft: "substeps with soft contacts: fast, for large scenes",
  velocity: "one contact problem per island and step: the reference",
  lcp: "Anitescu’s fixed steps: impacts right for every step length",
  shock: "shock propagation, layer by layer: tall stacks",
  implicit: "gaps are zero where the step ends: rolling, tops",
  gauss: "nearest motion; takes no friction",
  acceleration: "forces at every instant, events located: small scenes, exact",
  impulse: "impacts only: bouncing and rattling",
  penalty: "springs and dampers: soft materials",
  hybrid: "impulses for brief contacts, constraints for lasting ones",
};

// A field for a number that sends when the person is done with it, not at each key.
function numberInput(send: (value: number) => void, limits: { min?: number; max?: number; step?: number | "any" }): HTMLInputElement {
  const input = el("input", { type: "number", inputmode: "decimal", ...limits });
  input.addEventListener("change", () => {
    const value = input.valueAsNumber;
    if (Number.isFinite(value)) send(value);
  });
  return input;
}

// Never while somebody is typing in it.
function show(input: HTMLInputElement | HTMLSelectElement, text: string) {
  if (document.activeElement !== input || input instanceof HTMLSelectElement) input.value = text;
}

// A coefficient put over all surfaces, or each surface's own.
function surfaceField(name: "friction" | "restitution", label: string, most: number, live: Live) {
  const own = el("input", { type: "checkbox", "aria-label": `${label} the same on all surfaces` });
  const slider = el("input", { type: "range", min: 0, max: most, step: 0.01, value: name === "friction" ? 0.5 : 0.3 });
  const output = el("output", {});
  const send = () => live.set(name, own.checked ? slider.valueAsNumber : "scene");
  own.addEventListener("change", send);
  slider.addEventListener("input", () => {
    own.checked = true;
    output.textContent = formatNumber(slider.valueAsNumber);
  });
  slider.addEventListener("change", send);
  const row = field(label, slider, `${label} over all surfaces; without the tick each surface has its own`);
  row.classList.add("surface");
  row.append(own, output);
  return {
    row,
    show(value: number | null) {
      own.checked = value !== null;
      if (value !== null) slider.value = String(value);
      output.textContent = value === null ? "scene’s" : formatNumber(value);
      row.classList.toggle("is-off", value === null);
    },
  };
}

export function methodPanel(parent: HTMLElement, store: Store, live: Live): { revert(): void } {
  const setting = (key: string) => (value: string | number | boolean) => live.set(`settings.${key}`, value);
  const choice = (key: string) => {
    const select = el("select", {});
    select.addEventListener("change", () => setting(key)(select.value));
    return select;
  };
  const stepper = choice("stepper");
  const about = el("p", { class: "hint" });
  const solver = choice("solver.name");
  const law = choice("friction.law");
  setOptions(law, kLaws);
  const facets = numberInput(setting("friction.facets"), { min: 4, max: 1024, step: 2 });
  const iterations = numberInput(setting("solver.iterations"), { min: 0, max: 1e9, step: 1 });
  const tolerance = numberInput(setting("solver.tolerance"), { min: 1e-15, max: 1, step: "any" });
  const substeps = numberInput(setting("soft.substeps"), { min: 1, step: 1 });
  const unit = el("select", { "aria-label": "Unit of the step", class: "unit" }, el("option", { value: "Hz" }, "Hz"), el("option", { value: "ms" }, "ms"));
  const rate = numberInput((value) => value > 0 && live.set("dt", unit.value === "Hz" ? 1 / value : value / 1000), { min: 0, step: "any" });
  const both = el("p", { class: "hint" });
  const friction = surfaceField("friction", "Friction", 2, live);
  const restitution = surfaceField("restitution", "Restitution", 1, live);
  const gravity = [0, 1, 2].map((axis) => {
    const input = numberInput(() => live.set("settings.gravity", JSON.stringify(gravity.map((part) => part.valueAsNumber || 0))), { step: "any" });
    input.setAttribute("aria-label", `Gravity along ${"xyz"[axis]}, metres per second squared`);
    return input;
  });
  const places = el("select", { "aria-label": "Gravity as on", class: "unit" }, el("option", { value: "" }, "as on …"));
  for (const [place, value] of kGravities) places.append(el("option", { value }, place));
  places.addEventListener("change", () => {
    const up = store.state.scene?.up ?? [0, 0, 1];
    if (places.value !== "") live.set("settings.gravity", JSON.stringify(up.map((part) => -part * Number(places.value) || 0)));
    places.value = "";
  });
  const sleep = el("input", { type: "checkbox" });
  sleep.addEventListener("change", () => setting("sleep.enabled")(sleep.checked));

  const rows = {
    solver: field("Solver", solver), law: field("Friction law", law), facets: field("Facets", facets, "of a friction pyramid: even, at least 4"),
    iterations: field("Iterations", iterations, "at most, for each island; 0: the solver’s own limit"),
    tolerance: field("Tolerance", tolerance, "relative residual at which an island counts as solved"),
    substeps: field("Substeps", substeps, "of the stepper soft"),
  };
  const step = field("Step", rate);
  step.append(unit);
  const gravityRow = el("fieldset", { class: "triple" }, el("legend", {}, "Gravity, m/s²", places), ...gravity);
  parent.append(section(
    "Method", true, field("Stepper", stepper), about, ...Object.values(rows), step, both, friction.row, restitution.row, gravityRow,
    field("Sleep", sleep, "bodies at rest may stop being simulated"),
  ));

  const showStep = (settings: Settings) => {
    show(rate, String(Number((unit.value === "Hz" ? 1 / settings.dt : 1000 * settings.dt).toPrecision(6))));
    both.textContent = formatStep(settings.dt);
  };
  unit.addEventListener("change", () => store.state.settings !== null && showStep(store.state.settings));
  const showAll = () => {
    const { settings, hello } = store.state;
    if (settings === null) return;
    const including = (names: readonly string[], present: string) => (names.includes(present) ? names : [...names, present]);
    setOptions(stepper, including(hello?.steppers.map((item) => item.name) ?? [], settings.stepper));
    setOptions(solver, including(hello?.solvers ?? [], settings.solver));
    show(stepper, settings.stepper);
    about.textContent = kSteppers[settings.stepper] ?? "";
    show(solver, settings.solver);
    show(law, settings.friction_law);
    show(facets, String(settings.facets));
    show(iterations, String(settings.iterations));
    show(tolerance, String(settings.tolerance));
    show(substeps, String(settings.substeps));
    for (const key of ["solver", "law", "iterations", "tolerance"] as const) rows[key].hidden = !settings.takesSolver;
    rows.facets.hidden = !settings.takesSolver || (settings.friction_law !== "pyramid" && settings.friction_law !== "auto");
    rows.substeps.hidden = settings.stepper !== "soft";
    showStep(settings);
    friction.show(settings.friction);
    restitution.show(settings.restitution);
    gravity.forEach((input, k) => show(input, String(Number((settings.gravity as Vec3)[k].toPrecision(6)))));
    sleep.checked = settings.sleep;
  };
  store.on(["settings", "hello"], showAll);
  // After a wrong request the fields must say again what is true, also the one being typed in.
  return { revert: () => ((document.activeElement as HTMLElement | null)?.closest(".section") && (document.activeElement as HTMLElement).blur(), showAll()) };
}
