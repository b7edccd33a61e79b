import { chmod, mkdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { prepareScratchRoot } from './prepare-scratch-root.ts';
import { temporaryFolder } from './temporary-folder.fixture.ts';
import { UnsafeMachine } from './unsafe-machine.ts';

const folder = temporaryFolder('scratch-root');

it('the scratch root is created for one user, and can be used again', async () => {
  const root = join(folder, 'one', 'two');
  await prepareScratchRoot(root);
  await prepareScratchRoot(root);
  expect((await stat(root)).mode & 0o777).toBe(0o700);
});

it('a scratch root that others can write to, or that is a link, is refused', async () => {
  const open = join(folder, 'open');
  await mkdir(open);
  await chmod(open, 0o777);
  await expect(prepareScratchRoot(open)).rejects.toBeInstanceOf(UnsafeMachine);
  const link = join(folder, 'link');
  await symlink(join(folder, 'one'), link);
  await expect(prepareScratchRoot(link)).rejects.toThrow('KINORA_SCRATCH_FOLDER');
});
