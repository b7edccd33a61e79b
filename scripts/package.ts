import { spawnSync } from 'node:child_process';
import { changedPaths } from '../proofs/changed-paths.ts';

// Tests what an operator installs: the images, the compose file and the chart. Without arguments it tests all of them;
// `npm run package -- images chart` tests these two. `--changed` tests those that are made of a path that has changed since
// the commit in KINORA_CI_BASE, or all if that is not set.

/** What each part is made of, as prefixes of paths. The images also contain the sources of the server, which e2e tests. */
const madeOf = {
  images: [
    'deploy/images/',
    '.dockerignore',
    'scripts/build',
    'scripts/software-bill.ts',
    'scripts/third-party-licences.ts',
    'boxes/kinora-',
    'package-lock.json',
    'scripts/tools/node/',
    'stack/src/parts/container-image.ts',
  ],
  compose: [
    'deploy/compose/',
    'deploy/images/',
    'docs/operations/compose.md',
    'scripts/build',
    'server/src/db/migrations/',
    'stack/src/parts/container-image.ts',
  ],
  chart: ['deploy/chart/', '.github/', '.env.example', 'docs/operations/kubernetes.md'],
} as const;
type Part = keyof typeof madeOf;
const all = Object.keys(madeOf) as Part[];

const names = process.argv.slice(2);
const unknown = names.filter((name) => name !== '--changed' && !(all as string[]).includes(name));
if (unknown.length > 0) {
  console.error(`${unknown.join(', ')}: not a part. Use ${all.join(', ')} or --changed.`);
  process.exit(2);
}
const parts = names.includes('--changed')
  ? changedParts()
  : all.filter((part) => names.length === 0 || names.includes(part));
if (parts.length === 0) {
  console.log('nothing that the images, the compose file or the chart are made of has changed\n0 passed, 0 failed');
  process.exit(0);
}
console.log(`testing ${parts.join(', ')}`);
// The compose files are tested with the images.
run('scripts/setup', parts.includes('compose') ? [...new Set<Part>(['images', ...parts])] : parts);
run('vitest', ['run', '--project', 'package', ...parts.map((part) => `deploy/${part}/`)]);

function changedParts(): Part[] {
  const changed = changedPaths(process.env['KINORA_CI_BASE'] || null);
  if (!changed) return all;
  return all.filter((part) => changed.some((path) => madeOf[part].some((prefix) => path.startsWith(prefix))));
}

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
