import { readFile } from 'node:fs/promises';

/** Counts how often a Cog server began each job of a task, by its own log. */
export async function readStarts(logPath: string, taskId: string): Promise<Record<string, number>> {
  const starts: Record<string, number> = {};
  for (const line of (await readFile(logPath, 'utf8')).split('\n')) {
    if (!line.includes('"Starting prediction"')) continue;
    const jobId = /"prediction_id":"([^"]+)"/.exec(line)?.[1];
    if (jobId?.startsWith(`${taskId}-`)) starts[jobId] = (starts[jobId] ?? 0) + 1;
  }
  return starts;
}
