// Colours that mean something: islands, layers, sleep.
import { Color } from "three";
import { Flags } from "../frame";
import type { Overlays } from "../store";
import type { World } from "../world";
import type { Colouring } from "./batches";

const kGrey = 0.32; // linear
const kGoldenAngle = 0.381966; // of a turn: neighbouring numbers get hues far apart

// From deep blue at the bottom to yellow: readable in order, also without colour vision.
const kRamp: readonly (readonly number[])[] = [
  [0.267, 0.005, 0.329], [0.254, 0.265, 0.53], [0.164, 0.471, 0.558], [0.135, 0.659, 0.518], [0.478, 0.821, 0.318], [0.993, 0.906, 0.144],
];

export function rampColour(share: number): [number, number, number] {
  const at = Math.min(Math.max(share, 0), 1) * (kRamp.length - 1);
  const low = Math.min(Math.floor(at), kRamp.length - 2);
  const mix = at - low;
  return [0, 1, 2].map((k) => kRamp[low][k] * (1 - mix) + kRamp[low + 1][k] * mix) as [number, number, number];
}

function table(count: number, colourOf: (index: number, colour: Color) => Color): Float32Array {
  const values = new Float32Array(3 * count);
  const colour = new Color();
  for (let k = 0; k < count; ++k) colourOf(k, colour).toArray(values, 3 * k);
  return values;
}

const kIslandCount = 64;
const kIslandColours = table(kIslandCount, (k, colour) => colour.setHSL((k * kGoldenAngle) % 1, 0.62, 0.58));

function copy(from: Float32Array, index: number, out: Float32Array, at: number) {
  out[at] = from[3 * index];
  out[at + 1] = from[3 * index + 1];
  out[at + 2] = from[3 * index + 2];
}

export function chooseColouring(overlays: Overlays, world: World, own: Float32Array): Colouring {
  const { islands, layers, flags } = world.poses;
  const grey: Colouring = (_slot, out, at) => out.fill(kGrey, at, at + 3);
  if (overlays.islands) {
    return (slot, out, at) => (islands[slot] < 0 ? grey(slot, out, at) : copy(kIslandColours, islands[slot] % kIslandCount, out, at));
  }
  if (overlays.layers) {
    let top = 1;
    for (const layer of layers) top = Math.max(top, layer);
    top = Math.min(top, 4095);
    const colours = table(top + 1, (k, colour) => colour.setRGB(...rampColour(k / top), "srgb"));
    return (slot, out, at) => (layers[slot] < 0 ? grey(slot, out, at) : copy(colours, Math.min(layers[slot], top), out, at));
  }
  if (overlays.sleeping) {
    return (slot, out, at) => {
      copy(own, slot, out, at);
      if (flags[slot] & Flags.quarantined) [out[at], out[at + 1], out[at + 2]] = [0.8, 0.02, 0.5];
      else if (flags[slot] & Flags.asleep) {
        const light = 0.25 * (out[at] + out[at + 1] + out[at + 2]);
        [out[at], out[at + 1], out[at + 2]] = [0.25 * light, 0.35 * light, 0.9 * light];
      }
    };
  }
  return (slot, out, at) => copy(own, slot, out, at);
}
