import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { testSeed } from '@kinora/stack/harness/seeded-random';
import { failedOf } from './plan-repeats.ts';
import { readResults, type StepEnd } from './read-results.ts';
import type { Lane, Step, StepResult } from './step.ts';

export const root = join(import.meta.dirname, '../..');
/** A step that prints nothing for this long hangs: a test may take two limits, and some print nothing until they end. */
const silenceLimitMilliseconds = 6 * hangLimitMilliseconds;
/** Postgres and Temporal of a stack need a moment to end. */
const killMilliseconds = 60_000;

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
  const variables = step.runsBuild ? { TEST_BUILD: buildFolder } : {};
  const end = await runCommand([...command, ...reporting(step, `${base}.json`)], `${base}.log`, variables);
  const seconds = Math.round((performance.now() - begun) / 1000);
  return { step, seconds, cpuSeconds: end.cpuSeconds, ...readResults(step, `${base}.json`, end, root) };
}

/** Installs what a step needs. Only a failed setup is a check: what runs next may need nothing new and hide it. */
export async function runSetup(
  name: string,
  lane: Lane,
  parts: readonly string[],
  folder: string,
): Promise<StepResult> {
  const command = ['scripts/setup', ...parts] as const;
  const result = await runStep({ name: `setup for ${name}`, lane, command, reports: 'status' }, folder);
  return { ...result, checks: failedOf(result.checks) };
}

/** Where `runBuild` writes the compiled programs. */
const buildFolder = join(root, '.stack/build');

/** Compiles the programs for the steps that run them. Only a failure is a check, as in `runSetup`. */
export async function runBuild(lane: Lane, folder: string): Promise<StepResult> {
  const command = ['node', 'scripts/build.ts', '--output', buildFolder] as const;
  const result = await runStep({ name: 'build', lane, command, reports: 'status' }, folder);
  return { ...result, checks: failedOf(result.checks) };
}

function reporting({ reports }: Step, path: string): string[] {
  if (reports === 'vitest') return ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
  return reports === 'ours' ? ['--results', path] : [];
}

const running = new Set<ReturnType<typeof spawn>>();

/** The processor time of all children that have ended, with their own children. The kernel counts in hundredths. */
function readChildrenSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
let childrenSeconds = readChildrenSeconds();

/** Tells all steps to end, as an interrupt does. */
export function stopSteps(): void {
  for (const child of running) child.kill('SIGTERM');
}

/** Runs a command with the pinned tools. Its output is also written to a file. */
function runCommand(
  command: readonly string[],
  logPath: string,
  variables: Record<string, string>,
): Promise<StepEnd & { cpuSeconds: number }> {
  return new Promise((resolve) => {
    const logFile = createWriteStream(logPath);
    const child = spawn('scripts/with-tools', command, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...variables, TEST_SEED: String(testSeed), NO_COLOR: '1', FORCE_COLOR: '0' },
    });
    running.add(child);
    let log = '';
    const take = (chunk: Buffer): void => {
      logFile.write(chunk);
      log += chunk.toString();
      if (!hasHung) limit.refresh();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    let hasHung = false;
    let cpuSeconds = 0;
    child.once('exit', () => {
      const before = childrenSeconds;
      childrenSeconds = readChildrenSeconds();
      cpuSeconds = Math.round(childrenSeconds - before);
    });
    let killing: NodeJS.Timeout | undefined;
    const limit = setTimeout(() => {
      hasHung = true;
      child.kill('SIGTERM');
      killing = setTimeout(() => {
        child.kill('SIGKILL');
        // A part of a stack that outlives the step holds its output open.
        for (const stream of [child.stdout, child.stderr]) stream.destroy();
      }, killMilliseconds);
    }, silenceLimitMilliseconds);
    const finish = (status: number | null): void => {
      clearTimeout(limit);
      clearTimeout(killing);
      running.delete(child);
      if (hasHung) log += `\nit hung: it printed nothing for ${silenceLimitMilliseconds / 60_000} min`;
      logFile.end(() => resolve({ status: hasHung ? null : status, log, cpuSeconds }));
    };
    child.once('error', (error) => {
      log += error.message;
      finish(1);
    });
    child.once('close', finish);
  });
}
