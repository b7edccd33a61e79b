import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@kinora/stack/harness/test-folder';
import { describe, expect, test } from 'vitest';

const folder = import.meta.dirname;
const names = readdirSync(folder).filter((name) => /\.(service|target)$/.test(name));
const services = names.filter((name) => name.endsWith('.service'));
const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');
const analyze = '/usr/bin/systemd-analyze';
const copies = testFolder();

/** The lines from the comment about hardening to the end of their section. */
const hardeningOf = (name: string): string => /# Hardening[^]*?(?=\n\[|$)/.exec(textOf(name))?.[0].trim() ?? '';

test('there is a template for the roles, the built-in engine, migrations, the doctor, and a target for all', () => {
  expect(names.toSorted()).toEqual([
    'kinora-animatic.service',
    'kinora-doctor.service',
    'kinora-migrate.service',
    'kinora.target',
    'kinora@.service',
  ]);
});

describe.each(services)('%s', (name) => {
  test('it is hardened as all others, as another user and without capabilities', () => {
    expect(hardeningOf(name)).toContain('DynamicUser=yes');
    expect(hardeningOf(name)).toBe(hardeningOf('kinora@.service'));
  });

  test('it leaves what isolates child processes: namespaces, mount and Landlock', () => {
    expect(hardeningOf(name)).toMatch(/^RestrictNamespaces=user mnt net ipc pid$/m);
    expect(hardeningOf(name)).toMatch(/^SystemCallFilter=@system-service @mount .*seccomp.*landlock_restrict_self$/m);
    // V8 compiles code while it runs, so memory must be allowed to become executable.
    expect(textOf(name)).not.toContain('MemoryDenyWriteExecute');
    expect(textOf(name)).not.toContain('PrivateUsers');
  });

  test('it waits for no notice that our programs do not send', () => {
    expect(textOf(name)).not.toMatch(/WatchdogSec|Type=notify/);
  });
});

test('the built-in engine gets no secret', () => {
  expect(textOf('kinora-animatic.service')).not.toContain('LoadCredential');
  expect(textOf('kinora-animatic.service')).not.toContain('kinora.env');
});

test('docs/operations/one-box.md creates every file that the units read, and starts units that exist', () => {
  const page = readFileSync(join(folder, '../../docs/operations/one-box.md'), 'utf8');
  // What begins with a minus sign may be missing.
  const pattern = /(?<=[=:])\/etc\/kinora\/[\w./%-]+/g;
  const needed = new Set(services.flatMap((name) => textOf(name).match(pattern) ?? []));
  expect(needed.size).toBe(5);
  for (const path of needed) expect(page).toContain(`> ${path}`);
  const started = Array.from(
    page.matchAll(/^systemctl (?:start|restart|enable --now) (.+?)(?:;|$)/gm),
    ([, units = '']) => units,
  );
  const known = names.map((name) => name.replace('@.service', '@').replace(/\.service$/, ''));
  for (const unit of started.flatMap((units) => units.split(' ')))
    expect(known).toContain(unit.replace(/@(?:api|console|relay|worker)$/, '@'));
});

test.skipIf(!existsSync(analyze))('systemd accepts every unit', () => {
  // The programs of the units are not on this machine, so Node stands in for them.
  for (const name of names)
    writeFileSync(join(copies, name), textOf(name).replaceAll('/usr/local/bin/node', process.execPath));
  writeFileSync(join(copies, 'kinora@api.service'), readFileSync(join(copies, 'kinora@.service')));
  const units = ['kinora@api.service', ...names.filter((name) => !name.includes('@'))].map((name) =>
    join(copies, name),
  );
  const verify = () =>
    execFileSync(analyze, ['verify', '--man=no', '--recursive-errors=no', ...units], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  expect(verify).not.toThrow();
});

test.skipIf(!existsSync(analyze))('the filter of system calls allows all that kinora-media needs', () => {
  const listed = execFileSync(analyze, ['syscall-filter', '--no-pager', '@system-service', '@mount'], {
    encoding: 'utf8',
  });
  const groups = execFileSync(analyze, ['syscall-filter', '--no-pager', '@process', '@default'], { encoding: 'utf8' });
  expect(listed).toContain('@process');
  expect(listed).toContain('@default');
  const allowed = new Set(`${listed}\n${groups}`.split('\n').map((line) => line.trim()));
  for (const call of ['unshare', 'clone', 'clone3', 'mount', 'prctl', 'execve', 'wait4'])
    expect(allowed).toContain(call);
});

test.skipIf(!existsSync(analyze))('systemd rates the exposure of every service as low', () => {
  for (const name of services) writeFileSync(join(copies, name), textOf(name));
  for (const name of services) {
    const path = join(copies, name.replace('@', '@api'));
    if (name.includes('@')) writeFileSync(path, textOf(name));
    // 30 of 100; a service without hardening has 96.
    const rate = () => execFileSync(analyze, ['security', '--offline=true', '--threshold=30', '--no-pager', path]);
    expect(rate).not.toThrow();
  }
});
