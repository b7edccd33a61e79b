import { cpSync } from 'node:fs';
import { join } from 'node:path';

/** Copies what an operator copies to a machine, and returns the folder. */
export function copyInstallation(folder: string): string {
  const installation = join(folder, 'installation');
  const isForTests = (path: string) => /\.(test|static|package)\.ts$|\/(runner|loader|backups)$|\/\.env$/.test(path);
  cpSync(join(import.meta.dirname, '..'), installation, { recursive: true, filter: (path) => !isForTests(path) });
  return installation;
}
