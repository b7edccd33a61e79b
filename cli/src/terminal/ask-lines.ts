import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { exitCodes, UsageError } from '../exit-codes.ts';

/** Asks questions, which a person at the terminal or a pipe answers. */
export interface Questions {
  /** Reads one line. With `hidden`, the terminal does not echo it. */
  ask(question: string, echo: 'shown' | 'hidden'): Promise<string>;
  close(): void;
}

/** Opens one reader for all questions. A pipe delivers all lines at once, so a second reader would get none. */
export function openQuestions(): Questions {
  const isTerminal = process.stdin.isTTY;
  let isHidden = false;
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isHidden) process.stderr.write(chunk);
      done();
    },
  });
  const reader: Interface = createInterface({ input: process.stdin, output, terminal: isTerminal });
  // In raw mode the terminal sends no SIGINT to the process; readline emits this event instead.
  reader.on('SIGINT', () => {
    reader.close();
    process.stderr.write('\n');
    process.exit(exitCodes.interrupted);
  });
  const lines = reader[Symbol.asyncIterator]();
  return {
    async ask(question, echo) {
      if (isTerminal) process.stderr.write(question);
      isHidden = echo === 'hidden' || !isTerminal;
      const { value, done } = await lines.next();
      isHidden = false;
      if (isTerminal && echo === 'hidden') process.stderr.write('\n');
      if (done) throw new UsageError(`No input for "${question.replace(/: $/, '')}".`);
      return value.trim();
    },
    close: () => reader.close(),
  };
}
