import { createInterface, type Interface } from 'node:readline';
import type { Task } from '@kinora/sdk';
import { InterruptedError } from './exit-codes.ts';
import type { Screen } from './reports/task-report.ts';
import { exitInterrupted } from './save-output.ts';
import { describeError, errorAsJson } from './terminal/describe-error.ts';

interface Options {
  /** The yes-or-no question that is asked on the terminal. */
  question: string;
  /** Returns false if there is nothing left to cancel; then no question is asked. */
  canCancel: () => boolean;
  /** Returns the text that is printed if the tasks keep running without this program. */
  farewell: () => string;
  /** Returns the task that keeps running, for `--json`. */
  task?: () => Task | null;
  isJson: boolean;
  /** Aborted if the user wants to cancel. The code that uses its signal cancels the tasks. */
  stop: AbortController;
  /** Paused while the question is open. */
  screen: Screen;
}

interface Interruption {
  /** Removes an open question, because the work has ended. */
  dismiss(): void;
  /** Stops handling Ctrl-C. */
  forget(): void;
}

/**
 * Handles Ctrl-C. The first one asks whether to cancel the tasks too. If the user says no or presses Ctrl-C again, or
 * if there is no terminal to ask on, the program ends and the tasks keep running.
 */
export function onInterrupt({ question, canCancel, farewell, task, isJson, stop, screen }: Options): Interruption {
  let reader: Interface | null = null;
  const closeReader = () => {
    reader?.removeAllListeners();
    reader?.close();
    reader = null;
  };
  const leave = () => {
    const error = new InterruptedError(farewell(), task?.() ?? null);
    const text = isJson ? JSON.stringify(errorAsJson(error)) : describeError(error);
    process.stderr.write(`${reader ? '\n' : ''}${text}\n`);
    closeReader();
    exitInterrupted();
  };
  const interrupted = () => {
    const isInteractive = process.stdin.isTTY && process.stderr.isTTY;
    if (reader || stop.signal.aborted || !canCancel() || !isInteractive) return leave();
    screen.pause();
    process.stderr.write('\n');
    reader = createInterface({ input: process.stdin, output: process.stderr });
    // While the reader is open, it receives Ctrl-C and Ctrl-D as events.
    reader.once('SIGINT', leave);
    reader.once('close', leave);
    reader.question(`${question} [y/N] `, (answer) => {
      closeReader();
      if (!/^y/i.test(answer.trim())) return leave();
      stop.abort(new Error('cancelled by the user'));
      screen.resume();
    });
  };
  process.on('SIGINT', interrupted);
  const dismiss = () => {
    if (!reader) return;
    closeReader();
    process.stderr.write('\n');
    screen.resume();
  };
  return {
    dismiss,
    forget() {
      process.off('SIGINT', interrupted);
      dismiss();
    },
  };
}
