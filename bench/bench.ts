// Measures what requests, tasks and processes cost, and compares the figures with bench/baseline.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { animatic } from './animatic/animatic.ts';
import type { Baseline } from './baseline.ts';
import { type Bench, type BenchOutcome, type BenchSize, medianOf } from './bench-outcome.ts';
import { createSharedStack } from './bench-stack.ts';
import { create } from './create/create.ts';
import { footprint } from './footprint/footprint.ts';
import { growth } from './growth/growth.ts';
import { judgeBaseline } from './judge-baseline.ts';
import { plan } from './plan/plan.ts';
import { read } from './read/read.ts';
import { soak } from './soak/soak.ts';
import { targetRows, targetTable } from './targets.ts';
import { task } from './task/task.ts';

/** In the order in which they run. */
const benches: Record<string, Bench> = { create, read, task, footprint, soak, plan, growth, animatic };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    runs: { type: 'string', default: '1' },
    results: { type: 'string' },
    'update-baseline': { type: 'boolean', default: false },
  },
});
const size: BenchSize = values.quick ? 'quick' : values.full ? 'full' : 'normal';
/** With several runs, each figure is their median. */
const runs = Number(values.runs);
const minutes = values.minutes === undefined ? null : Number(values.minutes);
const chosen = Object.entries(benches).filter(([name]) => positionals.includes(name));
if (chosen.length === 0 || chosen.length < positionals.length) {
  console.log(
    'usage: npm run bench -- NAME… [--quick | --full] [--minutes N] [--runs N] [--results FILE] [--update-baseline]\n',
  );
  for (const [name, { about }] of Object.entries(benches)) console.log(`${name.padEnd(12)} ${about}`);
  process.exit(positionals.length === 0 ? 0 : 2);
}

const baselinePath = join(import.meta.dirname, 'baseline.json');
const resultsPath = join(import.meta.dirname, 'results.json');
const baseline = JSON.parse(readFileSync(baselinePath, 'utf8')) as Baseline;
const results: Record<string, Pick<BenchOutcome, 'judged' | 'shown'> & { size: BenchSize; seconds: number }> = {};

/** What `--results` writes, for the runners of CI. */
const written: { name: string; passed: boolean; seconds: number; objections: string[]; figures: object }[] = [];

const report = (line: string): void => console.log(line);
const failures: string[] = [];
let checks = 0;
await runAll();
writeFileSync(resultsPath, `${JSON.stringify(results, null, 2)}\n`);
if (values.results !== undefined) writeFileSync(values.results, JSON.stringify(written));
for (const line of targetTable(targetRows(results))) report(line);
for (const failure of failures) report(`FAILED ${failure}`);
report(`bench: ${Math.max(0, checks - failures.length)} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);

async function runAll(): Promise<void> {
  await using stack = createSharedStack(report);
  for (const [name, bench] of chosen) {
    const startedAt = performance.now();
    const run = () => bench.run({ size, minutes, report, openStack: () => stack.open() });
    const outcomes: [BenchOutcome, ...BenchOutcome[]] = [await run()];
    while (outcomes.length < runs) outcomes.push(await run());
    const outcome = medianOf(outcomes);
    const { judged, shown } = outcome;
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    results[name] = { size, seconds, judged, shown };
    report(JSON.stringify({ bench: name, size, seconds, ...judged, ...shown }));
    const objections = [...outcome.failures];
    if (values['update-baseline']) {
      baseline[size] = { ...baseline[size], [name]: judged };
      writeFileSync(baselinePath, `${JSON.stringify(baseline, null, 2)}\n`);
    } else {
      objections.push(...judgeBaseline(name, judged, baseline[size]?.[name] ?? {}));
    }
    failures.push(...objections);
    written.push({
      name: `bench/${name}`,
      passed: objections.length === 0,
      seconds,
      objections,
      figures: { ...judged, ...shown },
    });
    checks += outcome.checks + Object.keys(judged).length;
  }
}
