import type { Storyboard } from '../../storyboard/storyboard.ts';

/** Returns whether the boat is one of paper that drifts along a street, where rain has run together. */
export function isInStreet({ subject, features, scene }: Storyboard): boolean {
  return subject === 'boat' && features.includes('paperBoat') && (scene === 'city' || scene === 'town');
}
