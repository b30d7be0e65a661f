// Messages as the server writes them.
export const kSettings = {
  stepper: "soft", solver: "auto", takesSolver: false, friction_law: "auto", facets: 8, iterations: 1000, tolerance: 1e-5, substeps: 20,
  dt: 1 / 60, gravity: [0, 0, -9.81], friction: null, restitution: null, threads: 1, sleep: false,
};

export const kBody = {
  slot: 1, name: "brick", kind: "dynamic", mass: 2, colour: "#be7860", position: [0, 0, 1], rotation: [0, 0, 0, 1], center: [0, 0, 0],
  shapes: [{ type: "box", position: [0, 0, 0], rotation: [0, 0, 0, 1], half: [0.5, 0.25, 0.125] }],
};

export const kGround = {
  slot: 0, name: "ground", kind: "static", mass: null, colour: "#b4b6b8", position: [0, 0, 0], rotation: [0, 0, 0, 1], center: [0, 0, 0],
  shapes: [{ type: "plane", position: [0, 0, 0], rotation: [0, 0, 0, 1], normal: [0, 0, 1], offset: 0 }],
};

export const kScene = {
  say: "scene", epoch: 2, name: "tower", title: "A tower", description: "Bricks.", origin: [0, 0, 0], up: [0, 0, 1], radius: 12.5,
  parameters: [{ name: "layers", value: 40, unit: "", what: "of bricks" }], settings: kSettings, bodies: [kGround, kBody],
};

export const kStats = {
  say: "stats", epoch: 2, step: 10, time: 0.17, kinetic: 1, potential: 2, penetration: 1e-4, residual: null, iterations: 5, contacts: 7,
  islands: 1, awake: 1, bodies: 1, joint_error: null, phases: [1, 2, 3, 4, 5, 6, 7, 8], ms: 36, steps_per_second: 60, real_time: 1,
};
