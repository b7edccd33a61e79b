import type { Case, Column, World } from './address-case.ts';
import { bodyCases } from './body-cases.ts';
import { doorCases } from './door-cases.ts';
import { hintCases } from './hint-cases.ts';
import { nameCases } from './name-cases.ts';
import { redirectCases } from './redirect-cases.ts';

/** What only shows while it happens: answers that change, chains, redirects and bodies that do not end. */
export function dynamicCases(column: Column, world: World): Case[] {
  return [
    ...nameCases(column, world),
    // None is followed for a callback, wherever it leads: a few are enough.
    ...redirectCases(column, world).filter((_, index) => column !== 'callback_url' || index % 5 === 0),
    ...hintCases(column, world),
    ...doorCases(column, world),
    ...bodyCases(column, world),
  ];
}
