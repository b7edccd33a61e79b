/** Returns the values of each series on top of those before it, as stacked bars draw them. */
export function stacked(series: readonly (readonly (number | null)[])[]): number[][] {
  const sums: number[] = [];
  return series.map((values) =>
    values.map((value, index) => {
      sums[index] = (sums[index] ?? 0) + (value ?? 0);
      return sums[index];
    }),
  );
}

/** Returns a colour between two, both as `#rrggbb`; `share` is how much there is of the first. */
export function mixed(first: string, second: string, share: number): string {
  const channel = (from: number): string => {
    const [one, other] = [first, second].map((colour) => Number.parseInt(colour.slice(from, from + 2), 16));
    return Math.round((one ?? 0) * share + (other ?? 0) * (1 - share))
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}

const hour = 3_600;
const day = 24 * hour;

/** The distances between marks on an axis of time, in seconds. */
export function timeSteps(bucketSeconds: number): number[] {
  const hours = [1, 2, 3, 6, 12].map((count) => count * hour);
  const days = [1, 2, 3, 7, 14, 28, 56, 112].map((count) => count * day);
  return [...(bucketSeconds < day ? hours : []), ...days];
}

/** The distances between marks on an axis of durations, in seconds: round ones as people say them. */
export const durationSteps = [
  0.001,
  0.002,
  0.005,
  0.01,
  0.02,
  0.05,
  0.1,
  0.2,
  0.5,
  1,
  2,
  5,
  10,
  15,
  30,
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hour),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((days) => days * day),
];

const dayLabel = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const hourLabel = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });

/** Returns the label of a mark: the day at midnight, otherwise the hour. Buckets begin in UTC, so both are in UTC. */
export function timeLabel(seconds: number): string {
  return (seconds % day === 0 ? dayLabel : hourLabel).format(new Date(seconds * 1000));
}

/** Returns the name of a bucket: `18 Nov`, or `18 Nov, 14:00`. */
export function bucketLabel(seconds: number, bucketSeconds: number): string {
  const moment = new Date(seconds * 1000);
  return bucketSeconds < day ? `${dayLabel.format(moment)}, ${hourLabel.format(moment)}` : dayLabel.format(moment);
}
