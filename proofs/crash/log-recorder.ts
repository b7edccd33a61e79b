import type { RoleName } from '@kinora/stack/harness/installation';
import { readLogLine } from '@kinora/stack/harness/log-lines';
import type { History } from './history.ts';

/** Listens to what the roles print: submits as the engine counts them, takeovers, findings, and hits of failpoints. */
export interface Recorder {
  onLine(role: RoleName, line: string): void;
  /** When the process said that it ends itself at its failpoint. */
  hitAt(pid: number): number | null;
}

export function createRecorder(history: History, report: (line: string) => void): Recorder {
  const hits = new Map<number, number>();
  return {
    onLine(role, text) {
      const line = readLogLine(text);
      switch (line?.event) {
        case 'failpoint.hit':
          hits.set(line.pid, Date.parse(line.time));
          report(`${role} hit ${String(line['failpoint'])}`);
          break;
        case 'job.accepted':
          history.submits.push(String(line['jobId']));
          break;
        case 'attempt.taken_over':
          history.takeoversAt.push(Date.parse(line.time));
          break;
        case 'reconciler.finding': {
          const { kind, taskId } = line;
          history.findings.push({ kind: String(kind), taskId: typeof taskId === 'string' ? taskId : null });
          break;
        }
        default:
      }
    },
    hitAt: (pid) => hits.get(pid) ?? null,
  };
}
