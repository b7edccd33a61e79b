import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { withoutUserNamespaces } from '@kinora/boxes/without-user-namespaces.fixture';
import { expect, test } from 'vitest';

const folder = temporaryFolder('animatic-main');

test('the animatic does not start with less isolation than the operator requires, and says what to change', async () => {
  const program = fileURLToPath(new URL('main.ts', import.meta.url));
  const [command = '', ...args] = withoutUserNamespaces([process.execPath, program]);
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/bin:/bin',
      KINORA_ANIMATIC_PORT: '0',
      KINORA_SCRATCH_FOLDER: join(folder, 'scratch'),
      KINORA_MINIMUM_ISOLATION: 'namespaces',
    },
  });
  const [log, message, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect(exitCode).toBe(1);
  expect(JSON.parse(log)).toMatchObject({ event: 'process.failed' });
  expect(message).toContain('Child processes would be isolated by "confined"');
  expect(message).toContain('user.max_user_namespaces');
});
