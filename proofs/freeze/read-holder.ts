import { readLogLine } from '@kinora/stack/harness/log-lines';
import type { Holder } from './freeze-evidence.ts';

/** Returns which attempt a worker holds from now on, if this line of its log says so. */
export function readHolder(text: string): Holder | null {
  const line = readLogLine(text);
  if (line?.event !== 'attempt.begun' && line?.event !== 'attempt.taken_over') return null;
  return {
    at: Date.parse(line.time),
    pid: line.pid,
    taskId: String(line['taskId']),
    attempt: Number(line['attempt']),
    isTakeover: line.event === 'attempt.taken_over',
  };
}
