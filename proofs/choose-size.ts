import type { Proof, ProofSize } from './proof.ts';

/** The prefixes of the paths whose change asks for a proof at CI size: what it says itself, and its own files. */
function coveredPrefixes({ name, covers }: Pick<Proof, 'name' | 'covers'>): string[] {
  return [...covers, `proofs/${name}.ts`, `proofs/${name}/`];
}

/** CI size if one of the changed paths is covered, smoke size otherwise. Null means that nobody knows what changed: CI size. */
export function chooseSize(proof: Pick<Proof, 'name' | 'covers'>, changedPaths: string[] | null): ProofSize {
  if (changedPaths === null) return 'ci';
  const prefixes = coveredPrefixes(proof);
  return changedPaths.some((path) => prefixes.some((prefix) => path.startsWith(prefix))) ? 'ci' : 'smoke';
}

/** One line that says which sizes were chosen and why: "proofs: 5 at CI size (paths changed since b7c1f5a), 9 at smoke size". */
export function describeSizes(sizes: ProofSize[], base: string | null): string {
  const ci = sizes.filter((size) => size === 'ci').length;
  const why = base === null ? 'no base to compare with' : `paths changed since ${base.slice(0, 7)}`;
  return `proofs: ${ci} at CI size (${why}), ${sizes.length - ci} at smoke size`;
}
