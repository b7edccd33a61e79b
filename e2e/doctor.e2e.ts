import { findStack } from '@kinora/stack/parts/stack';
import { expect, inject, onTestFinished, test } from 'vitest';
import { commandOutcome } from './operator-command.ts';

interface Report {
  ok: boolean;
  checks: { check: string; verdict: string; message: string; remedy: string | null }[];
}

const notOk = ({ checks }: Report) =>
  checks
    .filter(({ verdict }) => verdict !== 'ok' && verdict !== 'skipped')
    .map(({ check, verdict }) => [check, verdict]);

test('on a healthy installation doctor exits with 0, and warns only that the public URL is loopback', async () => {
  const { code, stdout } = await commandOutcome(['doctor', '--json']);
  const report = JSON.parse(stdout) as Report;
  expect(notOk(report)).toEqual([['public_url', 'warning']]);
  expect({ code, ok: report.ok }).toEqual({ code: 0, ok: true });
});

test('with a stopped store doctor exits with 1, names the store and says what to do', async () => {
  const stack = findStack(inject('world').stackName);
  if (!stack) throw new Error('the stack of these tests does not run');
  onTestFinished(() => stack.start('s3'));
  await stack.stop('s3');
  const { code, stdout } = await commandOutcome(['doctor']);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^failed +store\.reachable +The store cannot be reached: .*ECONNREFUSED/m);
  expect(stdout.match(/^failed /gm)).toHaveLength(1);
  expect(stdout).toMatch(/^skipped +store\.bucket/m);
});
