import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { testSeed } from '@kinora/stack/harness/seeded-random';
import { readResults, type StepEnd, withExcerpt } from './read-results.ts';
import type { Step, StepResult } from './step.ts';

export const root = join(import.meta.dirname, '../..');
/** A step that takes this long hangs: the longest takes a quarter of it. */
const stepLimitMilliseconds = 12 * hangLimitMilliseconds;

/** How much of a step's output is shown if it fails without saying which check failed. */
const shownCharacters = 8_000;

/** Runs one step to its end, with its output in a file, and reads its results. */
export async function runStep(
  step: Step,
  folder: string,
  { command, name }: { command: Step['command']; name: string } = step,
): Promise<StepResult> {
  mkdirSync(folder, { recursive: true });
  const base = join(folder, name.replaceAll(/[^a-z0-9]+/gi, '-'));
  rmSync(`${base}.json`, { force: true });
  const begun = performance.now();
  const end = await runCommand([...command, ...reporting(step, `${base}.json`)], `${base}.log`);
  const { checks, figures } = readResults(step, `${base}.json`, end, root);
  const log = readFileSync(`${base}.log`, 'utf8');
  return {
    step,
    seconds: Math.round((performance.now() - begun) / 1000),
    checks: checks.map((check) => (check.status === 'failed' ? withExcerpt(check, log) : check)),
    figures,
  };
}

function reporting({ reports }: Step, path: string): string[] {
  if (reports === 'vitest') return ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
  return reports === 'ours' ? ['--results', path] : [];
}

const running = new Set<ReturnType<typeof spawn>>();

/** Tells all steps to end, as an interrupt does. */
export function stopSteps(): void {
  for (const child of running) child.kill('SIGTERM');
}

/** Runs a command with the pinned tools. Its output goes to a file; the end of it is returned. */
export function runCommand(command: readonly string[], logPath: string): Promise<StepEnd> {
  return new Promise((resolve) => {
    const log = createWriteStream(logPath);
    const child = spawn('scripts/with-tools', command, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TEST_SEED: String(testSeed), NO_COLOR: '1', FORCE_COLOR: '0' },
    });
    running.add(child);
    let output = '';
    const take = (chunk: Buffer): void => {
      log.write(chunk);
      output = (output + chunk.toString()).slice(-shownCharacters);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const limit = setTimeout(() => {
      output += `\nit hung: it was ended after ${stepLimitMilliseconds / 60_000} min`;
      child.kill('SIGTERM');
    }, stepLimitMilliseconds);
    const finish = (status: number | null): void => {
      clearTimeout(limit);
      running.delete(child);
      log.end(() => resolve({ status, output }));
    };
    child.once('error', (error) => {
      output += error.message;
      finish(1);
    });
    child.once('close', finish);
  });
}
