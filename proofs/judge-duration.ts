import type { Proof, ProofSize } from './proof.ts';

/** A proof may take this many times its declared minutes: machines differ, but the declaration must stay useful. */
const tolerance = 1.5;

/** Returns an objection if a proof took much longer than it declares. The declaration is about CI size only. */
export function judgeDuration({ minutes }: Pick<Proof, 'minutes'>, size: ProofSize, seconds: number): string | null {
  if (size !== 'ci' || seconds <= minutes * 60 * tolerance) return null;
  return (
    `it took ${(seconds / 60).toFixed(1)} min at CI size, more than ${tolerance} times the ${minutes} min that it declares; ` +
    'make it faster, or declare more minutes'
  );
}
