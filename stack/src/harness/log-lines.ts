/** A log line of ours. Tests match its event and fields, never its message. */
export interface LogLine {
  event: string;
  level: number;
  time: string;
  pid: number;
  err?: { message: string; stack?: string };
  problems?: string[];
  [name: string]: unknown;
}

/** Parses a line of a role's log. Returns null if the line is not one of ours, or if a kill cut it off. */
export function readLogLine(text: string): LogLine | null {
  if (!text.startsWith('{')) return null;
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === 'object' && line !== null && 'event' in line ? (line as LogLine) : null;
  } catch {
    return null;
  }
}

/** Parses a whole log, and skips lines that are not ours. */
export function readLogLines(text: string): LogLine[] {
  return text.split('\n').flatMap((line) => readLogLine(line) ?? []);
}

export function eventOf(text: string): string | null {
  return readLogLine(text)?.event ?? null;
}
