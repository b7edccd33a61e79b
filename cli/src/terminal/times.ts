/** Formats Unix seconds as "3 min ago", or as a date if that was more than a day ago. */
export function ago(at: number | null, now: number = Date.now()): string {
  if (at === null) return '–';
  const seconds = Math.max(0, Math.round(now / 1000 - at));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return new Date(at * 1000).toISOString().slice(0, 10);
}
