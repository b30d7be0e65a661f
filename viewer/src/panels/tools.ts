// Balls to throw and shapes to drop, and the parameters that the scene was built with.
import type { Live } from "../live";
import type { Store } from "../store";
import { type Tools, defaultTools } from "../tools";
import { el, field, section, setOptions } from "./dom";

export function toolsPanel(parent: HTMLElement, store: Store, tools: Tools) {
  const number = (key: "ballRadius" | "ballSpeed" | "ballDensity" | "size") => {
    const input = el("input", { type: "number", min: 0, step: "any", "data-tool": key });
    input.addEventListener("change", () => {
      if (input.valueAsNumber > 0) tools.settings[key] = input.valueAsNumber;
      input.value = String(tools.settings[key]);
    });
    return input;
  };
  const inputs = { ballRadius: number("ballRadius"), ballSpeed: number("ballSpeed"), ballDensity: number("ballDensity"), size: number("size") };
  const shape = el("select", {});
  shape.addEventListener("change", () => (tools.settings.shape = shape.value));
  parent.append(section(
    "Throw and drop", false,
    el("button", { class: "wide", onclick: () => tools.throwBall(), title: "From the eye towards the mouse (T)" }, "Throw a ball ", el("kbd", {}, "T")),
    field("Radius, m", inputs.ballRadius), field("Speed, m/s", inputs.ballSpeed), field("Density, kg/m³", inputs.ballDensity),
    el("button", { class: "wide", onclick: () => tools.dropShape(), title: "Above what is under the mouse (B)" }, "Drop a shape ", el("kbd", {}, "B")),
    field("Shape", shape), field("Size, m", inputs.size),
  ));
  store.on(["hello"], ({ hello }) => {
    if (hello === null) return;
    setOptions(shape, hello.shapes);
    shape.value = tools.settings.shape;
  });
  let name = "";
  store.on(["scene"], ({ scene }) => {
    if (scene === null || scene.name === name) return;
    name = scene.name;
    tools.settings = { ...defaultTools(scene.radius), shape: tools.settings.shape };
    for (const key of Object.keys(inputs) as (keyof typeof inputs)[]) inputs[key].value = String(tools.settings[key]);
  });
}

// Parameters take effect when the scene is built again.
export function parametersPanel(parent: HTMLElement, store: Store, live: Live) {
  const about = el("p", { class: "about" });
  const rows = el("div", {});
  const apply = el("button", { class: "wide" }, "Build it so");
  const panel = section("Scene", false, about, rows, apply);
  parent.append(panel);
  let inputs: { name: string; input: HTMLInputElement }[] = [];
  apply.addEventListener("click", () => {
    const { scene } = store.state;
    if (scene === null) return;
    live.load(scene.name, Object.fromEntries(inputs.map(({ name, input }) => [name, input.value.trim()])));
  });
  store.on(["scene"], ({ scene }) => {
    if (scene === null) return;
    about.textContent = scene.description;
    inputs = scene.parameters.map(({ name, value }) => ({ name, input: el("input", { type: "number", step: "any", value }) }));
    rows.replaceChildren(...scene.parameters.map(({ name, unit, what }, k) => field(unit === "" ? name : `${name}, ${unit}`, inputs[k].input, what)));
    apply.hidden = inputs.length === 0;
  });
}
