import { parseArgs } from 'node:util';
import { interrupt, interrupted } from '@kinora/stack/harness/interruption';
import { changedPaths } from './changed-paths.ts';
import { chooseSize, describeSizes } from './choose-size.ts';
import { judgeDuration } from './judge-duration.ts';
import { loadProofs } from './load-proofs.ts';
import type { Proof, ProofSize } from './proof.ts';
import { watchCores } from './watch-cores.ts';

const usage = `usage: npm run prove -- NAME… [--smoke|--full]
       npm run prove -- --all [--smoke|--full]
       npm run prove -- --changed     CI size for proofs that cover a change since KINORA_CI_BASE, smoke size for the rest`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    smoke: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    changed: { type: 'boolean', default: false },
  },
});

// Removed before anything starts, because the server refuses to start with a KINORA_ variable that it does not know.
const ciBase = process.env['KINORA_CI_BASE'] || null;
delete process.env['KINORA_CI_BASE'];

const proofs = await loadProofs();
const unknown = positionals.filter((name) => !proofs.some((proof) => proof.name === name));
if (unknown.length > 0) {
  console.error(
    `There is no proof named ${unknown.join(', ')}. The proofs are ${proofs.map((proof) => proof.name).join(', ')}.\n${usage}`,
  );
  process.exit(2);
}
const selected =
  values.all || values.changed
    ? proofs.filter(({ notYetKept }) => notYetKept === undefined)
    : proofs.filter((proof) => positionals.includes(proof.name));
if (selected.length === 0) {
  console.log(`${usage}\n`);
  for (const { name, promise, minutes } of proofs) console.log(`${name.padEnd(12)} ${promise} (${minutes} min)`);
  process.exit(0);
}

process.once('SIGINT', stop);
process.once('SIGTERM', stop);

const selectedSize: ProofSize = values.full ? 'full' : values.smoke ? 'smoke' : 'ci';
const changed = values.changed ? changedPaths(ciBase) : null;
const planned = selected.map((proof) => ({ proof, size: values.changed ? chooseSize(proof, changed) : selectedSize }));
if (values.changed) {
  const sizes = planned.map(({ size }) => size);
  console.log(describeSizes(sizes, changed && ciBase));
}
for (const { name, notYetKept } of proofs) {
  if (notYetKept !== undefined) console.log(`proof ${name}: not yet kept: ${notYetKept}`);
}
let passed = 0;
let failed = 0;
for (const { proof, size } of planned) {
  if (interrupted.aborted) break;
  if (await hasPassed(proof, size)) passed += 1;
  else failed += 1;
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || interrupted.aborted ? 1 : 0);

async function hasPassed(proof: Proof, size: ProofSize): Promise<boolean> {
  const startedAt = performance.now();
  const busy = watchCores();
  const seconds = (): number => Math.round((performance.now() - startedAt) / 100) / 10;
  const report = (line: string): void => console.log(`[${proof.name} ${seconds().toFixed(1).padStart(6)} s] ${line}`);
  report(`${size} size: ${proof.promise}`);
  const { figures, failures } = await proof.run(size, report).catch((error: unknown) => ({
    figures: {},
    failures: [interrupted.aborted ? 'it was interrupted' : `it could not run to its end: ${describe(error)}`],
  }));
  const overrun = judgeDuration(proof, size, seconds());
  const objections = overrun ? [...failures, overrun] : failures;
  console.log(JSON.stringify({ proof: proof.name, size, seconds: seconds(), cores_busy: busy(), ...figures }));
  if (objections.length === 0) {
    console.log(`proof ${proof.name}: kept`);
    return true;
  }
  console.log(`proof ${proof.name}: BROKEN: ${objections.length} objection${objections.length === 1 ? '' : 's'}`);
  for (const failure of objections.slice(0, 50)) console.log(`- ${failure}`);
  if (objections.length > 50) console.log(`- and ${objections.length - 50} more`);
  if (failures.length > 0) console.log(`the logs are in .stack/failed-${proof.name}`);
  return false;
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
