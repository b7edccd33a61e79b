// Measures speed: `npm run bench -- animatic`. With `--quick` it runs the short version that every change must pass.
import { parseArgs } from 'node:util';
import { animatic } from '../animatic/bench/animatic.ts';
import type { Bench } from './bench-outcome.ts';

const benches: Record<string, Bench> = { animatic };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const chosen = Object.entries(benches).filter(([name]) => positionals.includes(name));
if (chosen.length === 0 || chosen.length < positionals.length) {
  console.log('usage: npm run bench -- NAME… [--quick]\n');
  for (const [name, { about }] of Object.entries(benches)) console.log(`${name.padEnd(12)} ${about}`);
  process.exit(positionals.length === 0 ? 0 : 2);
}

let checks = 0;
let failed = 0;
for (const [name, bench] of chosen) {
  const startedAt = performance.now();
  const outcome = await bench.run({ isQuick: values.quick, report: (line) => console.log(line) });
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  console.log(JSON.stringify({ bench: name, size: values.quick ? 'quick' : 'full', seconds, ...outcome.figures }));
  for (const failure of outcome.failures) console.log(`- ${failure}`);
  checks += outcome.checks;
  failed += outcome.failures.length;
}
console.log(`bench: ${checks - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
