#!/usr/bin/env node
import { CommanderError } from 'commander';
import { createProgram, errorText } from './create-program.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';

const program = createProgram();

// If stdout is closed early, as `kinora list | head` does, the reader has seen enough: it is a success.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.ok);
  printError(error);
  process.exit(exitCodes.error);
});
// A closed stderr must not stop the work: it carries only remarks.
process.stderr.on('error', () => undefined);

try {
  await program.parseAsync();
} catch (error) {
  // Commander has already printed its error or its help.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  else {
    printError(error);
    process.exitCode = exitCodeOf(error);
  }
}

function printError(error: unknown): void {
  process.stderr.write(`${errorText(program, error)}\n`);
}
