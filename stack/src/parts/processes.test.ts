import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../harness/test-folder.ts';
import { isAlive, startProcess, waitUntilGone } from './processes.ts';

function startNode(script: string, onLine?: (line: string) => void) {
  const logPath = join(testFolder(onTestFinished), 'log');
  return startProcess({
    name: 'sample',
    command: process.execPath,
    arguments: ['-e', script],
    logPath,
    ...(onLine && { onLine }),
  });
}

test('the output of both streams goes to the log and, line by line, to the listener', async () => {
  const lines: string[] = [];
  const sample = startNode('console.log("one"); console.error("two")', (line) => lines.push(line));
  expect(await sample.exited).toEqual({ code: 0, signal: null });
  await expect.poll(() => lines.toSorted()).toEqual(['one', 'two']);
  expect(readFileSync(sample.logPath, 'utf8').trim().split('\n').toSorted()).toEqual(['one', 'two']);
});

test('a killed process is no longer alive and reports which signal ended it', async () => {
  const sample = startNode('setInterval(() => {}, 1000)');
  expect(isAlive(sample.pid)).toBe(true);
  expect(await waitUntilGone(sample.pid, 1)).toBe(false);
  sample.kill('SIGKILL');
  expect(await sample.exited).toEqual({ code: null, signal: 'SIGKILL' });
  expect(await waitUntilGone(sample.pid)).toBe(true);
});

test('starting a program that does not exist throws at once', () => {
  const folder = testFolder(onTestFinished);
  const logPath = join(folder, 'none.log');
  expect(() => startProcess({ name: 'none', command: join(folder, 'none'), arguments: [], logPath })).toThrow(
    'none could not be started',
  );
});
