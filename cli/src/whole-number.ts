import { UsageError } from './exit-codes.ts';

/** Returns a parser for the value of an option that is a whole number. */
export function wholeNumber(option: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new UsageError(`${option} must be a whole number from ${least} to ${most}, not "${text}".`);
  };
}
