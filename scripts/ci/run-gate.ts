// Runs the gate: two lanes beside each other, then what runs alone, then each failed file once more. `.ci/run` installs
// the core and starts this. Without arguments all lanes run; `.ci/run a alone` runs these two.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { testSeed } from '@kinora/stack/harness/seeded-random';
import { gateSteps } from './gate-steps.ts';
import { judgeGate } from './judge-gate.ts';
import { countChecks, planRepeats, repeatRun } from './plan-repeats.ts';
import { judgePromises, readPromises } from './promises.ts';
import { root, runCommand, runStep, stopSteps } from './run-step.ts';
import type { Lane, Step, StepResult } from './step.ts';

/** What the last run wrote: `summary.json`, and the results and whole output of each step. */
const resultsFolder = join(root, '.ci/results/gate');
const lanes = ['a', 'b', 'alone'] as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'install-seconds': { type: 'string', default: '0' } },
});
const unknown = positionals.filter((name) => !(lanes as readonly string[]).includes(name));
if (unknown.length > 0) {
  console.error(`There is no lane ${unknown.join(', ')}. The lanes are ${lanes.join(', ')}.`);
  process.exit(2);
}
const chosen = lanes.filter((lane) => positionals.length === 0 || positionals.includes(lane));
const installSeconds = Number(values['install-seconds']);
const begun = performance.now() - installSeconds * 1000;
let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isStopping = true;
    stopSteps();
  });
}
rmSync(resultsFolder, { recursive: true, force: true });
mkdirSync(resultsFolder, { recursive: true });
console.log(`lanes ${chosen.join(', ')}, TEST_SEED=${testSeed}; the output of each step is in .ci/results/gate`);

const results: StepResult[] = [];
let installing: Promise<unknown> = Promise.resolve();
await Promise.all(chosen.filter((lane) => lane !== 'alone').map(runLane));
if (chosen.includes('alone')) await runLane('alone');
const repeats: StepResult[] = [];
for (const repeat of planRepeats(results, isSeeded)) {
  console.log(`[${elapsed()}] repeating ${repeat.file} alone`);
  repeats.push(await runStep(repeat.step, resultsFolder, repeatRun(repeat)));
}
finish();

async function runLane(lane: Lane): Promise<void> {
  for (const step of gateSteps.filter((one) => one.lane === lane)) {
    if (isStopping) return;
    await install(step);
    console.log(`[${elapsed()}] lane ${lane}: ${step.name} begins`);
    const result = await runStep(step, resultsFolder);
    results.push(result);
    const { passed, failed, skipped } = countChecks(result.checks);
    const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`;
    console.log(`[${elapsed()}] lane ${lane}: ${step.name} took ${result.seconds} s: ${counts}`);
    for (const { file, name, message, status } of result.checks) {
      if (status === 'failed') console.log(`FAILED ${file}: ${name}\n${message.slice(0, 2_000)}`);
    }
  }
}

/** Installs what a step needs. One install at a time: both lanes would fight over the lock of the machine's packages. */
async function install({ needs = [], name }: Step): Promise<void> {
  if (needs.length === 0) return;
  const log = join(resultsFolder, `setup-${needs.join('-')}.log`);
  const installed = installing.then(() => runCommand(['scripts/setup', ...needs], log));
  installing = installed;
  const { status, output } = await installed;
  if (status !== 0) console.log(`setup of ${needs.join(', ')}, which ${name} needs, failed:\n${output}`);
}

/** Whether the seed alone decides the result of a file: a repetition would have the same one. */
function isSeeded(file: string): boolean {
  if (file === 'proofs/fuzz') return true;
  return file.endsWith('.ts') && /from 'fast-check'/.test(readFileSync(join(root, file), 'utf8'));
}

function elapsed(): string {
  const seconds = Math.round((performance.now() - begun) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function finish(): never {
  const verdict = judgeGate(results, repeats);
  const isWhole = chosen.length === lanes.length && !isStopping;
  const broken = isWhole ? judgePromises(readPromises(root), results) : [];
  const steps = results.map(({ step, seconds, checks }) => ({
    step: step.name,
    lane: step.lane,
    seconds,
    ...countChecks(checks),
  }));
  const failures = [
    ...verdict.failed.map(({ file, name, message }) => ({ check: `${file}: ${name}`, message })),
    ...broken.map((message) => ({ check: 'promises', message })),
    ...(isStopping ? [{ check: 'gate', message: 'it was interrupted' }] : []),
  ];
  const seconds = Math.round((performance.now() - begun) / 1000);
  const { passed, skipped, flaky } = verdict;
  const figures = Object.assign({}, ...results.map((result) => result.figures)) as StepResult['figures'];
  const summary = { seed: testSeed, seconds, installSeconds, passed, skipped, flaky, failures, steps, figures };
  writeFileSync(join(resultsFolder, 'summary.json'), `${JSON.stringify(summary, null, 2)}\n`);
  console.log(`\ninstall ${installSeconds} s`);
  for (const { step, lane, seconds } of steps)
    console.log(`${String(seconds).padStart(6)} s  ${lane.padEnd(5)} ${step}`);
  for (const name of flaky) console.log(`flaky: ${name}`);
  for (const { check, message } of failures) console.log(`FAILED ${check}\n${message.slice(0, 2_000)}`);
  console.log(`TEST_SEED=${testSeed}; all of it took ${elapsed()} min`);
  console.log(`${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exit(failures.length === 0 ? 0 : 1);
}
