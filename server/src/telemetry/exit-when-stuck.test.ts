import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

/** Runs a process that is watched with a limit of 2 s. Returns its output and how it ended. */
async function run(program: string): Promise<{ output: string; signal: NodeJS.Signals | null }> {
  const url = new URL('./exit-when-stuck.ts', import.meta.url).href;
  const source = `import { exitWhenStuck } from '${url}'; exitWhenStuck(2); ${program}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { output, signal };
}

test('a process whose main thread is stuck ends, and says so in its log', async () => {
  const { output, signal } = await run('setImmediate(() => { for (;;); });');
  expect(signal).toBe('SIGKILL');
  expect(JSON.parse(output)).toMatchObject({ event: 'process.stuck', level: 60 });
});

test('a process that works goes on, and the watch keeps it from nothing', async () => {
  const { output, signal } = await run('setTimeout(() => console.log("done"), 100);');
  expect([output, signal]).toEqual(['done\n', null]);
});
