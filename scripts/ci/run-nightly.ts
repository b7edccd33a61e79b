// Runs what measures or takes long, part by part, without a second try. `.ci/nightly` sets a fresh TEST_SEED and starts
// this. The report joins the parts that were run one by one.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { testSeed } from '@kinora/stack/harness/seeded-random';
import { addToHistory, readHistory } from './nightly-history.ts';
import { listNightlyParts, type Part } from './nightly-parts.ts';
import { type PartResult, renderReport } from './nightly-report.ts';
import { countChecks, failedOf } from './plan-repeats.ts';
import { root, runBuild, runSetup, runStep, stopSteps } from './run-step.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false } },
});
const parts = listNightlyParts();
const unknown = positionals.filter((name) => !parts.some((part) => part.name === name));
if (values.list || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no part ${unknown.join(', ')}. The parts are:`);
  for (const { name } of parts) console.log(name);
  process.exit(unknown.length > 0 ? 2 : 0);
}
const folder = join(root, '.ci/results/nightly');
const resultsPath = join(folder, 'report.json');
mkdirSync(folder, { recursive: true });
const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
const history = readHistory();
let results = existsSync(resultsPath) ? (JSON.parse(readFileSync(resultsPath, 'utf8')) as PartResult[]) : [];
let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isStopping = true;
    stopSteps();
  });
}
console.log(`TEST_SEED=${testSeed}; the output of each part is in .ci/results/nightly`);

const ended: PartResult[] = [];
for (const part of parts.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  if (isStopping) break;
  console.log(`${part.name} begins`);
  const result = await runPart(part);
  ended.push(result);
  console.log(`${part.name} took ${result.seconds} s: ${result.passed} passed, ${result.failed.length} failed`);
  for (const { check, message } of result.failed) console.log(`FAILED ${check}\n${message.slice(0, 2_000)}`);
  results = [...results.filter(({ part: name }) => name !== part.name), result];
  writeFileSync(resultsPath, `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(join(folder, 'report.md'), renderReport(results, history));
  addToHistory(result);
}
const failed = ended.reduce((sum, result) => sum + result.failed.length, 0);
console.log(`the report is in .ci/results/nightly/report.md; TEST_SEED=${testSeed} repeats the random choices`);
console.log(`${ended.reduce((sum, { passed }) => sum + passed, 0)} passed, ${failed} failed`);
process.exit(failed === 0 && !isStopping ? 0 : 1);

async function runPart({ name, steps }: Part): Promise<PartResult> {
  const begun = performance.now();
  const needs = [...new Set(steps.flatMap((step) => step.needs ?? []))];
  const stepResults = [await runSetup(name, 'alone', ['core', ...needs], folder)];
  if (steps.some(({ runsBuild }) => runsBuild)) stepResults.push(await runBuild('alone', folder));
  for (const step of steps) if (!isStopping) stepResults.push(await runStep(step, folder));
  const checks = stepResults.flatMap((result) => result.checks);
  const { passed, skipped } = countChecks(checks);
  const failed = failedOf(checks).map(({ file, name: test, message }) => ({ check: `${file}: ${test}`, message }));
  return {
    part: name,
    commit,
    seed: testSeed,
    endedAt: new Date().toISOString(),
    seconds: Math.round((performance.now() - begun) / 1000),
    passed,
    failed,
    skipped,
    figures: Object.assign({}, ...stepResults.map(({ figures }) => figures)) as PartResult['figures'],
  };
}
