import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { exitCodes, UsageError } from '../exit-codes.ts';

/** Somebody who answers: a person at the terminal, or a pipe. */
export interface Questions {
  /** One line; what is secret is not echoed. */
  ask(question: string, echo: 'shown' | 'hidden'): Promise<string>;
  close(): void;
}

/** One reader for all questions: a pipe hands over all its lines at once, and a second reader would find none. */
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
  // In its raw mode the terminal makes no signal of Ctrl-C.
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
      if (done) throw new UsageError(`No answer came to "${question.replace(/: $/, '')}".`);
      return value.trim();
    },
    close: () => reader.close(),
  };
}
