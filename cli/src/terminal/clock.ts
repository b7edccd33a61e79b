/** Formats Unix seconds in the local time zone: "2026-11-15 15:25:20". */
export function dateAndTime(at: number): string {
  const moment = new Date(at * 1000);
  const date = [moment.getFullYear(), moment.getMonth() + 1, moment.getDate()].map(twoDigits).join('-');
  return `${date} ${timeOfDay(at)}`;
}

/** Formats only the time of day: "15:25:20". */
export function timeOfDay(at: number): string {
  const moment = new Date(at * 1000);
  return [moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(twoDigits).join(':');
}

/** Formats a duration: "0.4 s", "3 min 20 s", "2 h 5 min". */
export function span(seconds: number): string {
  if (seconds < 100) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
