import type { RoleName } from '@kinora/stack/harness/installation';
import type { History } from './history.ts';

/** Listens to what the roles print: submits as the engine counts them, takeovers, findings, and hits of failpoints. */
export interface Recorder {
  onLine(role: RoleName, line: string): void;
  /** When the process said that it ends itself at its failpoint. */
  hitAt(pid: number): number | null;
}

interface Line {
  msg?: string;
  time?: string;
  jobId?: string;
  kind?: string;
  taskId?: string;
  failpoint?: string;
  pid?: number;
  at?: string;
}

const interesting = /"failpoint"|job accepted|attempt taken over|reconciler finding/;

export function createRecorder(history: History, report: (line: string) => void): Recorder {
  const hits = new Map<number, number>();
  return {
    onLine(role, text) {
      if (!interesting.test(text)) return;
      const line = parseLine(text);
      if (line?.failpoint !== undefined && line.pid !== undefined) {
        hits.set(line.pid, Date.parse(line.at ?? ''));
        report(`${role} hit ${line.failpoint}`);
      } else if (line?.msg === 'job accepted' && line.jobId !== undefined) history.submits.push(line.jobId);
      else if (line?.msg === 'attempt taken over') history.takeoversAt.push(Date.parse(line.time ?? ''));
      else if (line?.msg === 'reconciler finding') {
        history.findings.push({ kind: line.kind ?? 'unknown', taskId: line.taskId ?? null });
      }
    },
    hitAt: (pid) => hits.get(pid) ?? null,
  };
}

function parseLine(text: string): Line | null {
  try {
    return JSON.parse(text) as Line; // our own structured logs
  } catch {
    return null; // a line that was cut off by a kill
  }
}
