import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@kinora/stack/harness/test-folder';
import { expect, it, onTestFinished } from 'vitest';

// compose.package.ts runs the same scripts with real services. Here `docker` only notes its arguments.

const newer = '0.2.0';
const older = '0.1.0';
const docker = `#!/bin/bash
echo "\${KINORA_VERSION:-} $*" >>calls
case "$*" in
  *pg_dump*) echo dump ;;
  *--create*) head -c 10240 /dev/zero ;;
  *migrate) exit "\${MIGRATE_EXIT:-0}" ;;
esac
`;

/** An installation of the newer version, beside the compose file of either. */
function install(filesOf: string) {
  const folder = testFolder(onTestFinished);
  for (const name of ['upgrade', 'backup']) cpSync(join(import.meta.dirname, name), join(folder, name));
  writeFileSync(join(folder, 'compose.yaml'), `image: kinora-server:\${KINORA_VERSION:-${filesOf}}\n`);
  writeFileSync(join(folder, '.env'), `KINORA_VERSION=${newer}\n`);
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/docker'), docker, { mode: 0o755 });
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  return {
    read,
    run: (words: readonly string[], migrateExit = 0) => {
      writeFileSync(join(folder, 'calls'), '');
      const env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, MIGRATE_EXIT: String(migrateExit) };
      const { status, stdout, stderr } = spawnSync(join(folder, 'upgrade'), words, { env, encoding: 'utf8' });
      return { status, output: stdout + stderr, calls: read('calls').trimEnd().split('\n') };
    },
    backups: () => readdirSync(join(folder, 'backups')),
    /** Adds what \`./backup\` leaves, as if it had begun some hours ago. */
    addBackup: (name: string, hoursAgo: number): void => {
      mkdirSync(join(folder, 'backups', name), { recursive: true });
      const begun = new Date(Date.now() - hoursAgo * 3_600_000).toISOString().replace(/\.\d+Z/, '+00:00');
      writeFileSync(join(folder, 'backups', name, 'README.txt'), `Kinora ${newer}, ${begun}\n`);
    },
  };
}

const replacements = (version: string) =>
  ['relay', 'worker', 'api', 'console', 'animatic'].map(
    (role) => `${version} compose up --detach --wait --no-deps ${role}`,
  );

it.each([newer, older])(
  'an upgrade to %s migrates with its image, and then replaces one role after another',
  (version) => {
    const { run, read } = install(version);
    const { status, output, calls } = run(['--without-backup', version]);
    expect({ status, output }).toEqual({ status: 0, output: 'upgrade: makes no backup\nupgrade: done\n' });
    expect(calls).toEqual([
      `${version} compose pull --ignore-buildable`,
      `${version} compose build`,
      `${version} compose run --rm -T migrate`,
      ...replacements(version),
      `${version} compose up --detach --wait`,
    ]);
    expect(read('.env')).toBe(`KINORA_VERSION=${version}\n`);
  },
);

it('if the migrate of an older version refuses, an upgrade replaces no role, keeps .env and says how to go back', () => {
  const { run, read } = install(older);
  const { status, output, calls } = run(['--without-backup', older], 1);
  expect(status).toBe(1);
  expect(output).toContain('nothing was replaced');
  expect(output).toContain('run ./restore with a backup from before the newer version');
  expect(calls.at(-1)).toBe(`${older} compose run --rm -T migrate`);
  expect(read('.env')).toBe(`KINORA_VERSION=${newer}\n`);
});

it.each([
  [[older], /first check out version 0\.1\.0, or take the files of its release/, 1],
  [['--no-backup', newer], /unknown option --no-backup\. Usage: \.\/upgrade \[--without-backup\] \[VERSION\]/, 2],
])('an upgrade with %j is refused before anything happens', (words, reason, exitCode) => {
  const { status, output, calls } = install(newer).run(words);
  expect(output).toMatch(reason);
  expect(status).toBe(exitCode);
  expect(calls).toEqual(['']);
});

it('an upgrade relies on the newest complete backup of the last 24 hours', () => {
  const installation = install(newer);
  installation.addBackup('monday', 23);
  installation.addBackup('by-hand', 2);
  installation.addBackup('cut-off.incomplete', 1);
  const { status, output, calls } = installation.run([newer]);
  expect(status).toBe(0);
  expect(output).toContain('upgrade: relies on the backup backups/by-hand of 20');
  expect(calls[0]).toContain('compose pull');
});

it('an upgrade makes a backup if the others are older than 24 hours or incomplete, and relies on it when repeated', () => {
  const installation = install(newer);
  installation.addBackup('monday', 25);
  installation.addBackup('cut-off.incomplete', 1);
  // It fails after the backup.
  expect(installation.run([newer], 1).calls[0]).toContain('pg_dump');
  const [made = ''] = installation.backups().filter((name) => name.endsWith('-before-upgrade'));
  const repeated = installation.run([newer]);
  expect(repeated.output).toContain(`upgrade: relies on the backup backups/${made} of `);
  expect(repeated.calls[0]).toContain('compose pull');
});
