import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { serverPath } from '@kinora/stack/harness/installation';

/** A `kinora-server` command that reads lines and prints one line for each, in any order. */
export interface LineCommand {
  send(line: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts the command. `inputOf` returns the input line that a printed line belongs to. */
export function startLineCommand(
  words: readonly string[],
  environment: Record<string, string>,
  inputOf: (line: string) => string,
): LineCommand {
  const child = spawn(process.execPath, [serverPath, ...words], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting = new Map<string, PromiseWithResolvers<string>[]>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const input = inputOf(line);
    const [first, ...others] = waiting.get(input) ?? [];
    first?.resolve(line);
    if (others.length > 0) waiting.set(input, others);
    else waiting.delete(input);
  });
  const exited = once(child, 'exit').then(() => {
    for (const { reject } of [...waiting.values()].flat()) reject(new Error(`${words.join(' ')} has ended`));
  });
  return {
    send: (line) => {
      const output = Promise.withResolvers<string>();
      waiting.set(line, [...(waiting.get(line) ?? []), output]);
      child.stdin.write(`${line}\n`);
      return output.promise;
    },
    close: async () => {
      child.kill();
      await exited;
    },
  };
}
