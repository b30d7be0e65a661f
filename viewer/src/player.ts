// What the transport bar and its keys ask for, in a live lab and in a replay alike.
export interface Player {
  toggle(): void; // play or pause
  step(count: number): void; // steps, or frames of a replay; back if negative, where that is possible
  restart(): void;
  setSpeed(speed: number): void; // times real time; 0: as fast as it can (live only)
}

export const kSpeeds: readonly number[] = [0.1, 0.25, 0.5, 1, 2, 4];

// The next speed up or down; from "as fast as it can" (0) down to the fastest number.
export function neighbourSpeed(speed: number, direction: 1 | -1, hasMaximum: boolean): number {
  if (speed === 0) return direction < 0 ? kSpeeds[kSpeeds.length - 1] : 0;
  if (direction < 0) return [...kSpeeds].reverse().find((value) => value < speed - 1e-9) ?? kSpeeds[0];
  return kSpeeds.find((value) => value > speed + 1e-9) ?? (hasMaximum ? 0 : kSpeeds[kSpeeds.length - 1]);
}

export function speedName(speed: number): string {
  return speed === 0 ? "max" : `${speed}×`;
}
