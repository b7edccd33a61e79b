import type { Task } from '@kinora/sdk';
import type { Context } from '../context.ts';
import { createLiveLines } from '../terminal/live-lines.ts';
import { plainLine, plainLineKey, progressLine } from '../terminal/progress-line.ts';

/** The part of a display that pauses while a question is open. */
export interface Screen {
  pause(): void;
  resume(): void;
}

/** Shows the progress of a task. */
export interface TaskReport extends Screen {
  show(task: Task): void;
  /** Prints a remark that is not overwritten. */
  note(text: string): void;
  end(): void;
}

/** Shows a bar in a terminal, and lines in a log. */
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
