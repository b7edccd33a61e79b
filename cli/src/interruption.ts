import { createInterface, type Interface } from 'node:readline';
import { exitCodes } from './exit-codes.ts';
import type { Screen } from './reports/task-report.ts';

interface Options {
  /** Asked on the terminal, to be answered with y or n. */
  question: string;
  /** False when there is nothing left to cancel: then nothing is asked. */
  canCancel: () => boolean;
  /** Said when the work is left to itself. */
  farewell: () => string;
  /** Cancels; whoever listens to the signal does the rest. */
  stop: AbortController;
  /** Stays quiet while the question stands. */
  screen: Screen;
}

interface Interruption {
  /** Takes a question back that was not answered before everything was over. */
  dismiss(): void;
  /** Ends the watch. */
  forget(): void;
}

/**
 * The first Ctrl-C asks whether to cancel what the service is doing; no, a second Ctrl-C, or nobody there to answer leaves it to
 * itself and ends this program.
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
    const isSomebodyThere = process.stdin.isTTY && process.stderr.isTTY;
    if (reader || stop.signal.aborted || !canCancel() || !isSomebodyThere) return leave();
    screen.pause();
    process.stderr.write('\n');
    reader = createInterface({ input: process.stdin, output: process.stderr });
    // While it reads, Ctrl-C and Ctrl-D are its events.
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
