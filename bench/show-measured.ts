import type { Measured } from './alternate.ts';
import { round } from './judge-baseline.ts';

/** Returns the lines of a table with one row per contestant, and the CPU time of each of its groups. */
export function tableOf(measured: readonly Measured[]): string[] {
  const width = Math.max(...measured.map(({ name }) => name.length));
  return [
    `${''.padEnd(width)}    CPU µs   per s   p50 ms   p99 ms  CPU µs by process group`,
    ...measured.map(({ name, cpuMicroseconds, perSecond, p50Milliseconds, p99Milliseconds, cpuMicrosecondsByGroup }) =>
      [
        name.padEnd(width),
        cpuMicroseconds.toFixed(0).padStart(9),
        String(round(perSecond)).padStart(7),
        p50Milliseconds.toFixed(1).padStart(8),
        p99Milliseconds.toFixed(1).padStart(8),
        ` ${Object.entries(cpuMicrosecondsByGroup)
          .map(([group, microseconds]) => `${group} ${microseconds.toFixed(0)}`)
          .join(', ')}`,
      ].join(' '),
    ),
  ];
}

/** Returns the CPU time of each contestant in multiples of the bare one, which is the last. */
export function ratiosOf(measured: readonly Measured[]): Record<string, number> {
  const bare = measured.at(-1)?.cpuMicroseconds ?? Number.NaN;
  return Object.fromEntries(
    measured.slice(0, -1).map(({ name, cpuMicroseconds }) => [`${name}: CPU ratio`, round(cpuMicroseconds / bare)]),
  );
}

/** Returns the figures that depend on the machine. */
export function figuresOf(measured: readonly Measured[]): Record<string, number> {
  return Object.fromEntries(
    measured.flatMap(({ name, cpuMicroseconds, perSecond, p50Milliseconds, p99Milliseconds }) => [
      [`${name}: CPU µs`, round(cpuMicroseconds)],
      [`${name}: per second`, round(perSecond)],
      [`${name}: p50 ms`, round(p50Milliseconds)],
      [`${name}: p99 ms`, round(p99Milliseconds)],
    ]),
  );
}
