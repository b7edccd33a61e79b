import { readFileSync } from 'node:fs';

export type RecordedVersion = 'v0.33.0' | 'v0.7.0';

/** One request and the response of a real server. */
export interface RecordedExchange {
  method: string;
  path: string;
  json: Record<string, unknown> | null;
  status: number;
  body: unknown;
  note: string;
}

interface RecordedFrame {
  afterSeconds: number;
  message: { type: string; data: Record<string, unknown> };
}

/** A job as it ran on a real server: its graph, every message about it, and its last reported state. */
export interface RecordedRun {
  promptId: string;
  graph: Record<string, { class_type: string; inputs: Record<string, unknown> }>;
  frames: readonly RecordedFrame[];
  end: Record<string, unknown> | null;
}

interface Line {
  t: number;
  http?: { method: string; path: string; json?: Record<string, unknown> };
  response?: { status?: number; body?: unknown };
  json?: RecordedFrame['message'];
  note?: string;
}

/** Returns the exchanges of a recording, in order. */
export function exchangesOf(version: RecordedVersion, name: string): RecordedExchange[] {
  return linesOf(version, name).flatMap(({ http, response, note = '' }) =>
    http && response?.status !== undefined
      ? [{ ...http, json: http.json ?? null, status: response.status, body: response.body, note }]
      : [],
  );
}

/** Returns the exchange of a recording with this path or note. */
export function exchangeOf(version: RecordedVersion, name: string, pathOrNote: string): RecordedExchange {
  const found = exchangesOf(version, name).find(({ path, note }) => path === pathOrNote || note === pathOrNote);
  if (!found) throw new Error(`${version}/${name} has no ${pathOrNote}`);
  return found;
}

/** Returns the jobs of a recording, in the order in which they were submitted. */
export function runsOf(version: RecordedVersion, name: string): RecordedRun[] {
  const lines = linesOf(version, name);
  return lines.flatMap(({ t, http }) => {
    if (http?.method !== 'POST' || http.path !== '/prompt' || !http.json) return [];
    const { prompt_id: promptId, prompt } = http.json as { prompt_id: string; prompt: RecordedRun['graph'] };
    const frames = lines.flatMap((line) =>
      line.json?.data['prompt_id'] === promptId ? [{ afterSeconds: line.t - t, message: line.json }] : [],
    );
    const last = lines.findLast((line) => line.http?.path === `/api/jobs/${promptId}` && line.response?.status === 200);
    return [{ promptId, graph: prompt, frames, end: (last?.response?.body ?? null) as RecordedRun['end'] }];
  });
}

/** Returns the first job of a recording. */
export function runOf(version: RecordedVersion, name: string): RecordedRun {
  const [run] = runsOf(version, name);
  if (!run) throw new Error(`${version}/${name} has no job`);
  return run;
}

/** Returns the inputs of nodes that are in no recording, as version 0.7.0 declares them in its source. */
export function readSourceInfo(): Record<string, unknown> {
  return JSON.parse(readRecorded('object-info-from-source.json')) as Record<string, unknown>; // our own file
}

function linesOf(version: RecordedVersion, name: string): Line[] {
  const lines = readRecorded(`${version}/${name}.jsonl`).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Line); // our own file
}

function readRecorded(path: string): string {
  return readFileSync(new URL(`./recorded/${path}`, import.meta.url), 'utf8');
}
