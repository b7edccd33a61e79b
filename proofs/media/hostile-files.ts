import { hostileClaims } from './hostile-claims.ts';
import { hostileDamage } from './hostile-damage.ts';
import { hostileDisguises } from './hostile-disguises.ts';
import type { HostileFile } from './hostile-file.ts';
import { hostileStructure } from './hostile-structure.ts';

/** Returns all hostile files; the same seed gives the same files. */
export function hostileFiles(options: { seed: number; flipsPerFormat: number; canaryUrl: string }): HostileFile[] {
  return [
    ...hostileClaims(),
    ...hostileDamage(options.seed, options.flipsPerFormat),
    ...hostileDisguises(options.canaryUrl),
    ...hostileStructure(options.seed),
  ];
}
