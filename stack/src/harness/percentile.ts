/** The value below which so many percent of the numbers lie, by the nearest rank; `ofNone` where there are none. */
export function percentile(numbers: readonly number[], percent: number, ofNone = 0): number {
  const ascending = numbers.toSorted((one, other) => one - other);
  return ascending[Math.max(0, Math.ceil((ascending.length * percent) / 100) - 1)] ?? ofNone;
}
