import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { LockedPackage } from './complete-lockfile.ts';
import { checkAdvisories, checkOsv, checkSignatures, createRunNpm, type PackageVersion } from './supply-chain.ts';

// Asks the npm registry and OSV about the packages that we install. A bad signature, a grave advisory or a malicious
// package fails. A service that cannot be reached does not: it proves nothing about our packages, and a build must not
// depend on it. Then one sentence says what was not checked.

const lockfiles = [
  'package-lock.json',
  'scripts/tools/node/package-lock.json',
  'scripts/tools/runtimes/package-lock.json',
];
const requirements = [
  'scripts/requirements.in',
  'scripts/uv-requirements.in',
  'scripts/engine-requirements-sglang.in',
  'predictors/wan/requirements.in',
];

const registry = (await promisify(execFile)('npm', ['config', 'get', 'registry'])).stdout.trim();
const runNpm = createRunNpm(registry);
const npmPackages = (await Promise.all(lockfiles.map(npmPackagesOf))).flat();
const pythonPackages = (await Promise.all(requirements.map(pythonPackagesOf))).flat();
const probe = npmPackages.find(({ name }) => name === 'fastify');
if (!probe) throw new Error('fastify is not in the lockfile: choose another package to probe the registry with');

const outcomes = await Promise.all([
  checkSignatures(registry, probe, runNpm),
  checkAdvisories(runNpm),
  checkOsv('https://api.osv.dev', withoutDuplicates([...npmPackages, ...pythonPackages])),
]);
for (const { name, failures, notes, unchecked } of outcomes) {
  if (unchecked) console.log(`${name}: not checked, because ${unchecked}.`);
  for (const note of notes) console.log(`note: ${name}: ${note}`);
  for (const failure of failures) console.log(`FAILED ${name}: ${failure}`);
}
const checked = outcomes.filter(({ unchecked }) => !unchecked);
const failed = checked.filter(({ failures }) => failures.length > 0);
console.log(`supply chain: ${checked.length - failed.length} passed, ${failed.length} failed`);
process.exit(failed.length === 0 ? 0 : 1);

async function npmPackagesOf(path: string): Promise<PackageVersion[]> {
  const { packages } = JSON.parse(await readFile(path, 'utf8')) as {
    packages: Record<string, LockedPackage & { name?: string }>;
  };
  return Object.entries(packages).flatMap(([key, { name, version, link }]) => {
    const alias = key.split('node_modules/').at(-1) ?? '';
    const isOurs = !key.includes('node_modules/') || link;
    return isOurs || !version ? [] : [{ ecosystem: 'npm' as const, name: name ?? alias, version }];
  });
}

async function pythonPackagesOf(path: string): Promise<PackageVersion[]> {
  const lines = (await readFile(path, 'utf8'))
    .split('\n')
    .filter((line) => line.includes('==') && !line.startsWith('#'));
  return lines.map((line) => {
    const [name = '', version = ''] = line.trim().split('==');
    return { ecosystem: 'PyPI', name, version };
  });
}

function withoutDuplicates(packages: PackageVersion[]): PackageVersion[] {
  return [...new Map(packages.map((one) => [JSON.stringify(one), one])).values()];
}
