import type { Case, Column, World } from './address-case.ts';
import { bodyCases } from './body-cases.ts';
import { doorCases } from './door-cases.ts';
import { hintCases } from './hint-cases.ts';
import { nameCases } from './name-cases.ts';
import { redirectCases } from './redirect-cases.ts';

/** Cases that depend on how servers behave over time: changing DNS replies, chains of redirects, endless bodies. */
export function dynamicCases(column: Column, world: World): Case[] {
  return [
    ...nameCases(column, world),
    // Kinora follows no redirect of a callback, so a fifth of the cases is enough there.
    ...redirectCases(column, world).filter((_, index) => column !== 'callback_url' || index % 5 === 0),
    ...hintCases(column, world),
    ...doorCases(column, world),
    ...bodyCases(column, world),
  ];
}
