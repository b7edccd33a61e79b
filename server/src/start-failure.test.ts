import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('a failed start prints the error for the operator on standard error and logs it for the supervisor', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), 'start'], {
    encoding: 'utf8',
    env: { KINORA_PORT: 'banana' },
  });
  expect(status).toBe(1);
  expect(stderr).toContain('KINORA_PORT must be a whole number');
  expect(JSON.parse(stdout)).toMatchObject({ level: 60, event: 'process.failed', roles: 'api+relay+worker+console' });
});
