import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { interrupt, interrupted } from '@kinora/stack/harness/interruption';
import { randomFor, testSeed } from '@kinora/stack/harness/seeded-random';
import type { Stack } from '@kinora/stack/parts/stack';
import { loadProofs } from './load-proofs.ts';
import type { Proof, ProofOptions, ProofOutcome, ProofTier } from './proof.ts';
import { keepingLogs, partitionStack, withStack } from './proof-stack.ts';
import { watchCores } from './watch-cores.ts';

const usage = `usage: npm run prove -- NAME… [--full] [--tier gate|night]
       npm run prove -- --all              every proof at CI size, as every night
       npm run prove -- --gate             the proofs that decide about a merge; --gate=shared, --gate=alone: one kind
       --results FILE                      writes the results as JSON`;

const { values, positionals } = parseArgs({
  // `--gate` alone means both kinds; parseArgs knows no option with an optional value.
  args: process.argv.slice(2).map((word) => (word === '--gate' ? '--gate=both' : word)),
  allowPositionals: true,
  options: {
    full: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    gate: { type: 'string' },
    tier: { type: 'string' },
    results: { type: 'string' },
  },
});

interface Result {
  name: string;
  passed: boolean;
  seconds: number;
  objections: string[];
  figures: ProofOutcome['figures'];
}

const proofs = await loadProofs();
const unknown = positionals.filter((name) => !proofs.some((proof) => proof.name === name));
if (unknown.length > 0) {
  fail(`There is no proof named ${unknown.join(', ')}. The proofs are ${proofs.map(({ name }) => name).join(', ')}.`);
}
const tier = tierOf(values.tier ?? (values.gate === undefined ? 'night' : 'gate'));
if (![undefined, 'both', 'shared', 'alone'].includes(values.gate)) fail(`There is no --gate=${values.gate}.`);
const selected = proofs.filter(isSelected);
if (selected.length === 0) {
  console.log(`${usage}\n`);
  for (const { name, promise, minutes } of proofs) console.log(`${name.padEnd(14)} ${promise} (${minutes} min)`);
  process.exit(0);
}

process.once('SIGINT', stop);
process.once('SIGTERM', stop);

console.log(`TEST_SEED=${testSeed} repeats the random choices of this run`);
for (const { name, notYetKept } of proofs) {
  if (notYetKept !== undefined) console.log(`proof ${name}: not yet kept: ${notYetKept}`);
}
const results: Result[] = [];
const sharing = values.gate === undefined ? [] : selected.filter(({ inGate }) => inGate === 'shared');
if (sharing.length > 0) {
  // If the stack does not start, the whole run fails.
  await withStack(console.log, async (stack) => {
    for (const proof of sharing) await prove(proof, (options) => runOnPartition(proof, stack, options));
  });
}
for (const proof of selected.filter((one) => !sharing.includes(one))) {
  await prove(proof, (options) => runOnOwnStack(proof, options));
}
if (values.results !== undefined) writeFileSync(values.results, `${JSON.stringify(results, null, 2)}\n`);
const passed = results.filter((result) => result.passed).length;
console.log(`${passed} passed, ${results.length - passed} failed`);
process.exit(passed < results.length || interrupted.aborted ? 1 : 0);

function isSelected({ name, inGate, notYetKept }: Proof): boolean {
  if (positionals.includes(name)) return true;
  if (notYetKept !== undefined) return false;
  return values.all || (inGate !== undefined && (values.gate === 'both' || values.gate === inGate));
}

async function runOnPartition(proof: Proof, stack: Stack, options: ProofOptions): Promise<ProofOutcome> {
  if (!('run' in proof)) throw new Error(`${proof.name} cannot share a stack`);
  const own = await partitionStack(stack, proof.name);
  return keepingLogs(proof.name, own.info, () => proof.run(own, options));
}

function runOnOwnStack(proof: Proof, options: ProofOptions): Promise<ProofOutcome> {
  if (!('run' in proof)) return proof.runInOwnNetwork(options);
  return withStack(options.report, (stack) => keepingLogs(proof.name, stack.info, () => proof.run(stack, options)));
}

async function prove(proof: Proof, run: (options: ProofOptions) => Promise<ProofOutcome>): Promise<void> {
  if (interrupted.aborted) return;
  const { name, promise } = proof;
  const size = values.full ? 'full' : 'ci';
  const startedAt = performance.now();
  const busy = watchCores();
  const elapsedSeconds = (): number => Math.round((performance.now() - startedAt) / 100) / 10;
  const report = (line: string): void => console.log(`[${name} ${elapsedSeconds().toFixed(1).padStart(6)} s] ${line}`);
  report(`${size} size, tier ${tier}: ${promise}`);
  const random = randomFor(`proof ${name}`);
  const { figures, failures: objections } = await run({ size, tier, random, report }).catch((error: unknown) => ({
    figures: {},
    failures: [interrupted.aborted ? 'it was interrupted' : `it could not run to its end: ${describe(error)}`],
  }));
  const seconds = elapsedSeconds();
  results.push({ name: `proofs/${name}`, passed: objections.length === 0, seconds, objections, figures });
  console.log(JSON.stringify({ proof: name, size, tier, seconds, cores_busy: busy(), ...figures }));
  if (objections.length === 0) {
    console.log(`proof ${name}: kept`);
    return;
  }
  console.log(`proof ${name}: BROKEN: ${objections.length} objection${objections.length === 1 ? '' : 's'}`);
  for (const objection of objections.slice(0, 50)) console.log(`- ${objection}`);
  if (objections.length > 50) console.log(`- and ${objections.length - 50} more`);
  console.log(`the logs are in .stack/failed-${name}; TEST_SEED=${testSeed} repeats the random choices`);
}

function tierOf(word: string): ProofTier {
  return word === 'gate' || word === 'night' ? word : fail(`There is no tier ${word}.`);
}

function fail(reason: string): never {
  console.error(`${reason}\n${usage}`);
  process.exit(2);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function stop(): void {
  console.error('stopping; a second signal exits at once and leaves the child processes running');
  interrupt();
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
}
