import type { Proof, ProofSize } from './proof.ts';

/**
 * Returns the prefixes of the paths whose change requires CI size: those that the proof declares, and its own files.
 */
function coveredPrefixes({ name, covers }: Pick<Proof, 'name' | 'covers'>): string[] {
  return [...covers, `proofs/${name}.ts`, `proofs/${name}/`];
}

/** Returns CI size if the proof covers one of the changed paths or if they are unknown (null), otherwise smoke size. */
export function chooseSize(proof: Pick<Proof, 'name' | 'covers'>, changedPaths: string[] | null): ProofSize {
  if (changedPaths === null) return 'ci';
  const prefixes = coveredPrefixes(proof);
  return changedPaths.some((path) => prefixes.some((prefix) => path.startsWith(prefix))) ? 'ci' : 'smoke';
}

/** Describes the chosen sizes in one line: "proofs: 5 at CI size (paths changed since b7c1f5a), 9 at smoke size". */
export function describeSizes(sizes: ProofSize[], base: string | null): string {
  const ci = sizes.filter((size) => size === 'ci').length;
  const why = base === null ? 'no base to compare with' : `paths changed since ${base.slice(0, 7)}`;
  return `proofs: ${ci} at CI size (${why}), ${sizes.length - ci} at smoke size`;
}
