/** What callers of this file match of a line: its event and fields, never its text. */
export interface LogLine {
  event: string;
  level: number;
  time: string;
  pid: number;
  err?: { message: string; stack?: string };
  problems?: string[];
  [name: string]: unknown;
}

/** A line of a role's log; null if it is not one of ours, or was cut off by a kill. */
export function readLogLine(text: string): LogLine | null {
  if (!text.startsWith('{')) return null;
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === 'object' && line !== null && 'event' in line ? (line as LogLine) : null;
  } catch {
    return null;
  }
}

/** Those of a whole log that can be read. */
export function readLogLines(text: string): LogLine[] {
  return text.split('\n').flatMap((line) => readLogLine(line) ?? []);
}

export function eventOf(text: string): string | null {
  return readLogLine(text)?.event ?? null;
}
