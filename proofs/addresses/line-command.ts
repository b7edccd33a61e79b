import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { serverPath } from '@kinora/stack/harness/installation';

/** A `kinora-server` command that is given lines and prints a line for each, in any order. */
export interface LineCommand {
  ask(line: string): Promise<string>;
  close(): Promise<void>;
}

/** `questionOf` finds the line that was asked in the line that is printed. */
export function startLineCommand(
  words: readonly string[],
  environment: Record<string, string>,
  questionOf: (line: string) => string,
): LineCommand {
  const child = spawn(process.execPath, [serverPath, ...words], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting = new Map<string, PromiseWithResolvers<string>[]>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const asked = questionOf(line);
    const [first, ...others] = waiting.get(asked) ?? [];
    first?.resolve(line);
    if (others.length > 0) waiting.set(asked, others);
    else waiting.delete(asked);
  });
  const exited = once(child, 'exit').then(() => {
    for (const { reject } of [...waiting.values()].flat()) reject(new Error(`${words.join(' ')} has ended`));
  });
  return {
    ask: (line) => {
      const answer = Promise.withResolvers<string>();
      waiting.set(line, [...(waiting.get(line) ?? []), answer]);
      child.stdin.write(`${line}\n`);
      return answer.promise;
    },
    close: async () => {
      child.kill();
      await exited;
    },
  };
}
