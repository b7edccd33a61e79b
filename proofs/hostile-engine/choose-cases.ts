import type { ProofSize } from '../proof.ts';
import { bystander, type Case, casesOf } from './hostile-case.ts';
import type { Protocol } from './mutation.ts';
import { mutationsOf } from './mutations.ts';

/** Which cases of a protocol run, such as every seventh, by how they end; and how many honest tasks run beside them. */
const sizes: Record<ProofSize, { everyCompleted: number; everyOther: number; bystanders: number }> = {
  // A completed video costs more than any other end, so fewer of the cases that complete are run.
  ci: { everyCompleted: 26, everyOther: 7, bystanders: 3 },
  full: { everyCompleted: 1, everyOther: 1, bystanders: 6 },
};

/** Cases that the CI size never leaves out. */
const isNamed =
  /before the response to the submit|three times|at the same moment|after the (success|failure)|token|another task|second, once|never end|poll: (a response of 10 MB|a body without an end|a failure of 10 MB), always|falls|progress -5|(output|callback): .*forbidden address.* always|without a file, always/;

/** Returns the cases of a run in the order of their creation: the longest first, with honest ones among them. */
export function chooseCases(size: ProofSize, protocols: readonly Protocol[]): Case[] {
  const { everyCompleted, everyOther, bystanders } = sizes[size];
  const chosen = protocols.flatMap((protocol, offset) => {
    const all = casesOf(protocol, mutationsOf(protocol));
    // Each protocol takes another remainder, so that a case that one of them leaves out runs in another.
    const isChosen =
      (every: number) =>
      ({ name }: { name: string }, index: number): boolean =>
        (index + offset * 5) % every === 0 || (size === 'ci' && isNamed.test(name));
    const some = [
      ...all.filter(({ ends }) => ends[0] === 'completed').filter(isChosen(everyCompleted)),
      ...all.filter(({ ends }) => ends[0] !== 'completed').filter(isChosen(everyOther)),
    ].toSorted((one, other) => patience(other) - patience(one));
    for (let count = 0; count < bystanders; count += 1) some.splice(count * 5, 0, bystander(protocol));
    return some.map((case_, place) => ({ case_, place }));
  });
  return chosen
    .toSorted((one, other) => one.place - other.place)
    .map(({ case_ }, index) => ({ ...case_, number: index + 1 }));
}

/** Returns 1 for cases that end by a time limit: they begin first, so that the run does not end with waiting. */
function patience({ ends, times }: Omit<Case, 'number'>): number {
  return times > 1 && ends.some((end) => end === 'engine_lost' || end === 'engine_unavailable') ? 1 : 0;
}
