import { lstat, mkdir } from 'node:fs/promises';
import { UnsafeMachine } from './unsafe-machine.ts';

/** Creates the scratch folder, for our user only. Throws `UnsafeMachine` if others could replace files of tasks. */
export async function prepareScratchRoot(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const { uid, mode } = await lstat(path);
  const isDirectory = (mode & 0o170000) === 0o040000;
  if (isDirectory && uid === process.getuid?.() && (mode & 0o022) === 0) return;
  throw new UnsafeMachine(
    `The folder ${path} is not a folder of this user that only this user can write to. Delete it, correct its owner ` +
      'and mode (chmod 700), or set KINORA_SCRATCH_FOLDER to another folder.',
  );
}
