const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** Returns the milliseconds of a duration as the workflows write them, such as `15s`. */
export function millisecondsOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const [, count, unit] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? [];
  if (unit === undefined) throw new Error(`not a duration of the simulation: ${text}`);
  return Number(count) * units[unit as keyof typeof units];
}
