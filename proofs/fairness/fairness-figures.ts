import { percentile } from '@kinora/stack/harness/percentile';

/** Returns infinity if there are no values, so that a run without measurements fails. */
export function percentileOf(values: readonly number[], percent: number): number {
  return percentile(values, percent, Number.POSITIVE_INFINITY);
}

export function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}

export const percent = (fraction: number): string => `${round(fraction * 100, 1)} %`;
export const seconds = (value: number): string => `${round(value, 2)} s`;
