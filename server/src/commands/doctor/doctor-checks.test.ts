import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { doctorChecks } from './doctor-checks.ts';
import { runDoctor } from './run-doctor.ts';

const ids = doctorChecks.map(({ id }) => id);
const page = readFileSync(new URL('../../../../docs/operations/doctor-checks.md', import.meta.url), 'utf8');

it('docs/operations/doctor-checks.md lists every check, in the order of the report', () => {
  expect(Array.from(page.matchAll(/^\| `([a-z_.]+)` \|/gm), ([, id]) => id)).toEqual(ids);
});

it('every check comes after the checks that it needs, and all but the first need the settings', () => {
  for (const [index, { needs }] of doctorChecks.entries()) {
    expect(ids.slice(0, index)).toEqual(expect.arrayContaining([...needs]));
    expect(needs.length > 0).toBe(index > 0);
  }
});

it('settings that cannot be read are one failed check, and all others are skipped', async () => {
  const [first, ...others] = await runDoctor({ KINORA_PORT: 'eighty' });
  expect(first).toMatchObject({ check: 'settings', verdict: 'failed' });
  expect(first?.message).toContain('KINORA_PORT');
  expect(first?.message).toContain('KINORA_DATABASE_URL');
  expect(new Set(others.map(({ verdict }) => verdict))).toEqual(new Set(['skipped']));
});
