import type { Task } from '@kinora/sdk';
import type { Context } from '../context.ts';
import { createLiveLines } from '../terminal/live-lines.ts';
import { plainLine, plainLineKey, progressLine } from '../terminal/progress-line.ts';

/** The part of a display that makes room for a question. */
export interface Screen {
  pause(): void;
  resume(): void;
}

/** What a task shows of itself. */
export interface TaskReport extends Screen {
  show(task: Task): void;
  /** A remark that stays. */
  note(text: string): void;
  end(): void;
}

/** A bar where somebody looks; lines where it is written to a log. */
export function createTaskReport({ isTerminal, remark, paint }: Context): TaskReport {
  if (isTerminal) {
    const live = createLiveLines(process.stderr);
    return {
      ...live,
      show: (task) => live.show((columns) => [progressLine(task, { columns, paint })]),
      note: (text) => live.print(text),
    };
  }
  let last = '';
  return {
    show(task) {
      const key = plainLineKey(task);
      if (key !== last) remark(plainLine(task));
      last = key;
    },
    note: remark,
    pause: () => undefined,
    resume: () => undefined,
    end: () => undefined,
  };
}
