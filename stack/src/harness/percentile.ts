/** Returns the percentile of the numbers by the nearest-rank method; `ofNone` if there are no numbers. */
export function percentile(numbers: readonly number[], percent: number, ofNone = 0): number {
  const ascending = numbers.toSorted((one, other) => one - other);
  return ascending[Math.max(0, Math.ceil((ascending.length * percent) / 100) - 1)] ?? ofNone;
}
