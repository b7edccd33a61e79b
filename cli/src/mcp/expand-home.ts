import { homedir } from 'node:os';
import { resolve } from 'node:path';

/** Returns the absolute path, with `~` as the user's home: hosts start the server without a shell. */
export function expandHome(path: string): string {
  return resolve(path.replace(/^~(?=\/|$)/, homedir()));
}
