// Runs the gate: three lanes beside each other, then what runs alone, then each failed file once more. `.ci/run` installs
// the core and starts this. Without arguments all lanes run; `.ci/run a alone` runs these two.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { testSeed } from '@kinora/stack/harness/seeded-random';
import { gateSteps } from './gate-steps.ts';
import { judgeGate } from './judge-gate.ts';
import { measureMachineSpeed } from './machine-speed.ts';
import { countChecks, planRepeats, repeatRun } from './plan-repeats.ts';
import { judgePromises, readPromises } from './promises.ts';
import { root, runBuild, runSetup, runStep, stopSteps } from './run-step.ts';
import type { Lane, Step, StepResult } from './step.ts';

/** What the last run wrote: `summary.json`, and the results and whole output of each step. */
const resultsFolder = join(root, '.ci/results/gate');
const lanes = ['a', 'b', 'c', 'alone'] as const;
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

const speedBefore = measureMachineSpeed();
const results: StepResult[] = [];
let installing: Promise<unknown> = Promise.resolve();
let building: Promise<unknown> | null = null;
await Promise.all(chosen.filter((lane) => lane !== 'alone').map(runLane));
if (chosen.includes('alone')) await runLane('alone');
const repeats: StepResult[] = [];
for (const repeat of isStopping ? [] : planRepeats(results, isSeeded)) {
  console.log(`[${elapsed()}] repeating ${repeat.file} alone`);
  repeats.push(await runStep(repeat.step, resultsFolder, repeatRun(repeat)));
}
finish();

async function runLane(lane: Lane): Promise<void> {
  for (const step of gateSteps.filter((one) => one.lane === lane)) {
    if (!isStopping) await install(step);
    if (!isStopping && step.runsBuild)
      await (building ??= runBuild(lane, resultsFolder).then((one) => results.push(one)));
    if (isStopping) return;
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

/** Installs what a step needs. One install at a time: the lanes would fight over the lock of the machine's packages. */
async function install({ needs = [], name, lane }: Step): Promise<void> {
  if (needs.length === 0) return;
  const installed = installing.then(() => runSetup(name, lane, needs, resultsFolder));
  installing = installed;
  results.push(await installed);
}

/** Whether the files and the seed alone decide the result of a file: a repetition would have the same one. */
function isSeeded(file: string): boolean {
  if (file.startsWith('checks/')) return true;
  if (!file.endsWith('.test.ts') || file.endsWith('.stack.test.ts')) return false;
  return /from 'fast-check'/.test(readFileSync(join(root, file), 'utf8'));
}

function elapsed(): string {
  const seconds = Math.round((performance.now() - begun) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function finish(): never {
  const verdict = judgeGate(results, repeats);
  const isWhole = chosen.length === lanes.length && !isStopping;
  const broken = isWhole ? judgePromises(readPromises(root), verdict.checks) : [];
  const steps = [...results, ...repeats].map(({ step, seconds, cpuSeconds, checks }) => ({
    step: step.name,
    lane: step.lane,
    seconds,
    cpuSeconds,
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
  const hashedMegabytesPerSecond = { before: speedBefore, after: measureMachineSpeed() };
  const summary = {
    seed: testSeed,
    seconds,
    installSeconds,
    hashedMegabytesPerSecond,
    passed,
    skipped,
    flaky,
    failures,
    steps,
    figures,
  };
  writeFileSync(join(resultsFolder, 'summary.json'), `${JSON.stringify(summary, null, 2)}\n`);
  // For lanes that ran on machines of their own: scripts/ci/join-lanes.ts.
  writeFileSync(join(resultsFolder, 'verdict.json'), JSON.stringify(verdict));
  console.log(`\ninstall ${installSeconds} s`);
  for (const { step, lane, seconds, cpuSeconds } of steps)
    console.log(
      `${String(seconds).padStart(6)} s, processor ${String(cpuSeconds).padStart(4)} s  ${lane.padEnd(5)} ${step}`,
    );
  const { before, after } = hashedMegabytesPerSecond;
  console.log(`one core hashed ${before} MB/s before the lanes and ${after} MB/s after them`);
  for (const name of flaky) console.log(`flaky: ${name}`);
  for (const { check, message } of failures) console.log(`FAILED ${check}\n${message.slice(0, 2_000)}`);
  console.log(`TEST_SEED=${testSeed}; ${skipped} skipped; all of it took ${elapsed()} min`);
  console.log(`${passed} passed, ${failures.length} failed`);
  process.exit(failures.length === 0 ? 0 : 1);
}
