/** Returns a duration as people say it: `0.4 s`, `12 s`, `1 m 12 s`, `3 h 5 m`, `2 d 4 h`. */
export function formatDuration(seconds: number): string {
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`;
  const whole = Math.round(seconds);
  const parts = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3_600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'm'],
    [whole % 60, 's'],
  ] as const;
  const first = parts.findIndex(([value]) => value > 0);
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ');
}

/** Returns a duration in its largest unit only: `12 s`, `3 h`. */
export function formatLargest(seconds: number): string {
  return /^[\d.]+ \w/.exec(formatDuration(Math.round(seconds)))?.[0] ?? '0 s';
}

/** Returns how far a moment is from now: `just now`, `4 m ago`, `in 2 h`. */
export function formatRelative(unixSeconds: number, nowMilliseconds: number): string {
  const seconds = Math.round(nowMilliseconds / 1000 - unixSeconds);
  if (Math.abs(seconds) < 5) return 'just now';
  const largest = formatLargest(Math.abs(seconds));
  return seconds > 0 ? `${largest} ago` : `in ${largest}`;
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** Returns the exact moment in the reader's own time zone. */
export function formatExact(unixSeconds: number): string {
  return exact.format(new Date(unixSeconds * 1000));
}

/** Returns a number of bytes with a unit of a thousand: `1.4 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value < 10 && power > 0 ? Number(value.toFixed(1)) : Math.round(value)} ${units[power]}`;
}

const whole = new Intl.NumberFormat('en');

/** Returns a whole number with separators: `12,480`. */
export function formatCount(count: number): string {
  return whole.format(count);
}

/** Returns an amount of money: `$0.42`. Small amounts keep two significant digits. */
export function formatMoney(amount: number, currency: string): string {
  const digits = amount > 0 && amount < 0.1 ? { maximumSignificantDigits: 2 } : {};
  return new Intl.NumberFormat('en', { style: 'currency', currency, ...digits }).format(amount);
}
