// Joins the verdicts of lanes that ran on machines of their own: `join-lanes.ts VERDICT…`. What only the whole gate can
// judge is judged here: that every promise was checked, and how many tests were flaky.
import { readFileSync } from 'node:fs';
import type { GateVerdict } from './judge-gate.ts';
import { mostFlaky } from './plan-repeats.ts';
import { judgePromises, readPromises } from './promises.ts';
import { root } from './run-step.ts';

const verdicts = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')) as GateVerdict);
const flaky = verdicts.flatMap((verdict) => verdict.flaky);
const failures = [
  ...verdicts.flatMap(({ failed }) => failed.map(({ file, name }) => `${file}: ${name}`)),
  ...judgePromises(
    readPromises(root),
    verdicts.flatMap(({ checks }) => checks),
  ),
  ...(flaky.length > mostFlaky ? [`${flaky.length} tests were flaky; at most ${mostFlaky} may be`] : []),
];
for (const name of flaky) console.log(`flaky: ${name}`);
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(`${verdicts.reduce((sum, { passed }) => sum + passed, 0)} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);
