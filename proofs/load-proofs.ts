import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Proof } from './proof.ts';

/** Files of this folder that proofs are run with; every other file here is a proof. */
const notProofs = new Set([
  'choose-size.ts',
  'interruption.ts',
  'judge-duration.ts',
  'load-proofs.ts',
  'proof-stack.ts',
  'proof.ts',
  'prove.ts',
  'watch-cores.ts',
]);

/** Every proof of this folder: `<name>.ts` or `<name>/<name>.ts`. */
export async function loadProofs(): Promise<Proof[]> {
  const folder = import.meta.dirname;
  const paths = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) {
      const path = join(folder, entry.name, `${entry.name}.ts`);
      return existsSync(path) ? [path] : [];
    }
    const isProof = entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts') && !notProofs.has(entry.name);
    return isProof ? [join(folder, entry.name)] : [];
  });
  const modules = await Promise.all(paths.map(async (path) => [path, await import(path)] as const));
  return modules.map(([path, module]: readonly [string, { proof?: Proof }]) => {
    if (!module.proof) throw new Error(`${path} exports no proof`);
    return module.proof;
  });
}
