import type { Proof, ProofSize } from './proof.ts';

/** A proof may take this many times its declared minutes: machines differ, but the declaration must stay worth planning with. */
const tolerance = 1.5;

/** Says what is wrong if a proof took much longer than it declares. Only CI size is judged: the declaration is about that. */
export function judgeDuration({ minutes }: Pick<Proof, 'minutes'>, size: ProofSize, seconds: number): string | null {
  if (size !== 'ci' || seconds <= minutes * 60 * tolerance) return null;
  return (
    `It took ${(seconds / 60).toFixed(1)} min at CI size, more than ${tolerance} times the ${minutes} min that it declares. ` +
    'Make it faster, or declare what it takes.'
  );
}
