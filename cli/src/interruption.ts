import { createInterface, type Interface } from 'node:readline';
import { exitCodes } from './exit-codes.ts';
import type { Screen } from './reports/task-report.ts';

interface Options {
  /** The yes-or-no question that is asked on the terminal. */
  question: string;
  /** Returns false if there is nothing left to cancel; then no question is asked. */
  canCancel: () => boolean;
  /** Returns the text that is printed if the tasks keep running without this program. */
  farewell: () => string;
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
export function onInterrupt({ question, canCancel, farewell, stop, screen }: Options): Interruption {
  let reader: Interface | null = null;
  const closeReader = () => {
    reader?.removeAllListeners();
    reader?.close();
    reader = null;
  };
  const leave = () => {
    process.stderr.write(`${reader ? '\n' : ''}${farewell()}\n`);
    closeReader();
    process.exit(exitCodes.interrupted);
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
