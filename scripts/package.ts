import { spawnSync } from 'node:child_process';

// Tests what an operator installs. `images` and `compose` build the images and run an installation of them; `static` checks
// the compose files, the chart and the workflows of GitHub without starting them. Without arguments it tests all of it.

/** What each part needs of `scripts/setup`, and the tests that Vitest runs. */
const parts = {
  static: { setup: ['compose', 'chart'], tests: ['--project', 'deploy'] },
  images: { setup: ['images'], tests: ['--project', 'package', 'deploy/images/'] },
  // The compose files are tested with the images.
  compose: { setup: ['images', 'compose'], tests: ['--project', 'package', 'deploy/compose/'] },
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(`${unknown.join(', ')}: unknown part. Use ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}
for (const [name, { setup, tests }] of Object.entries(parts)) {
  if (names.length > 0 && !names.includes(name)) continue;
  run('scripts/setup', setup);
  run('vitest', ['run', ...tests]);
}

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
