// Plants small faults, one at a time, and shows that the gate finds each. `--list` lists them, `--compile` only checks
// that all patches apply and compile, and names select some. It works on a copy of the repository.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type OwnResult, readResults } from '../ci/read-results.ts';
import { root } from '../ci/run-step.ts';
import type { CheckResult, Step } from '../ci/step.ts';
import { judgeMutant } from './judge-mutant.ts';
import { type Mutant, mutants } from './mutant-list.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    compile: { type: 'boolean', default: false },
    results: { type: 'string' },
  },
});
if (values.list) {
  for (const { name, fault, check } of mutants)
    console.log(`${name.padEnd(28)} ${fault} Found by ${describeCheck(check)}.`);
  process.exit(0);
}
const chosen = mutants.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
if (chosen.length < positionals.length) {
  console.error(`There is no such fault among ${positionals.join(', ')}; --list lists them.`);
  process.exit(2);
}

const copy = copyRepository();
const results: OwnResult[] = [];
try {
  if (values.compile) compileAll();
  else for (const mutant of chosen) results.push(plant(mutant));
} finally {
  rmSync(copy, { recursive: true, force: true });
}
if (values.results !== undefined) writeFileSync(values.results, JSON.stringify(results));
const failed = results.filter(({ passed }) => !passed).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/** Copies the tracked files as they are now. Packages are linked: they are not changed. */
function copyRepository(): string {
  mkdirSync(join(root, '.stack'), { recursive: true });
  const folder = mkdtempSync(join(root, '.stack/mutants-'));
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, maxBuffer: 2 ** 26 });
  const present = files
    .toString()
    .split('\0')
    .filter((path) => path !== '' && existsSync(join(root, path)));
  execFileSync('tar', ['-cf', join(folder, 'files.tar'), '--null', '-T', '-'], {
    cwd: root,
    input: present.join('\0'),
  });
  execFileSync('tar', ['-xf', 'files.tar'], { cwd: folder });
  rmSync(join(folder, 'files.tar'));
  execFileSync('cp', ['-al', join(root, 'node_modules'), join(folder, 'node_modules')]);
  symlinkSync(join(root, '.tools'), join(folder, '.tools'));
  return folder;
}

/** The copy is inside a work tree, from whose root git would look for the files, and skip a patch without failing. */
function apply({ name }: Mutant, ...options: string[]): void {
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(copy) };
  const patch = join(import.meta.dirname, `${name}.patch`);
  const { status, stderr } = spawnSync('git', ['apply', '--verbose', ...options, patch], {
    cwd: copy,
    env,
    encoding: 'utf8',
  });
  if (status !== 0 || stderr.includes('Skipped patch')) throw new Error(`${name}.patch does not apply:\n${stderr}`);
}

/** The patches change different lines, so one run of the compiler shows whether all of them compile. */
function compileAll(): void {
  for (const mutant of chosen) apply(mutant);
  const { status, stdout } = run(['tsc', '--noEmit', '-p', '.']);
  const name = 'planted faults compile';
  results.push({ name, passed: status === 0, seconds: 0, objections: status === 0 ? [] : [stdout] });
  if (status !== 0) console.log(stdout);
}

function plant(mutant: Mutant): OwnResult {
  console.log(`${mutant.name}: ${mutant.fault}`);
  const begun = performance.now();
  const without = runCheck(mutant);
  apply(mutant);
  const withFault = runCheck(mutant);
  apply(mutant, '--reverse');
  const objection = judgeMutant(mutant, without, withFault);
  console.log(
    objection === null ? `  found by ${describeCheck(mutant.check)}` : `  NOT FOUND: ${objection.slice(0, 3_000)}`,
  );
  const seconds = Math.round((performance.now() - begun) / 1000);
  return {
    name: `mutants/${mutant.name}`,
    passed: objection === null,
    seconds,
    objections: objection === null ? [] : [objection],
  };
}

function runCheck({ name, check }: Mutant): CheckResult[] {
  const path = join(copy, 'results.json');
  rmSync(path, { force: true });
  const command = commandOf(check, path);
  const step: Step = { name, lane: 'alone', command, reports: 'title' in check ? 'vitest' : 'ours' };
  // Vitest shows failures on the second stream.
  const { status, stdout, stderr } = run(command);
  return readResults(step, path, { status, log: stdout + stderr }, copy).checks;
}

function commandOf(check: Mutant['check'], path: string): Step['command'] {
  if ('proof' in check) return ['node', 'proofs/prove.ts', check.proof, '--tier', 'gate', '--results', path];
  if ('simulate' in check) return ['node', 'simulation/simulate.ts', ...check.simulate, '--results', path];
  const title = `--testNamePattern=${patternOf(check.title)}`;
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
  return ['vitest', 'run', `--project=${check.project}`, check.file, title, ...reporters];
}

/** Vitest selects tests by a pattern. */
function patternOf(title: string): string {
  return title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function run(command: readonly string[]) {
  const env = { ...process.env, NO_COLOR: '1' };
  return spawnSync('scripts/with-tools', command, { cwd: copy, env, encoding: 'utf8', maxBuffer: 2 ** 28 });
}

function describeCheck(check: Mutant['check']): string {
  if ('title' in check) return `“${check.title}” in ${check.file}`;
  return 'proof' in check ? `the proof ${check.proof}` : `simulate ${check.simulate.join(' ')}`;
}
