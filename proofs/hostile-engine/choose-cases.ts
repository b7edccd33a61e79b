import type { ProofSize } from '../proof.ts';
import { bystander, type Case, casesOf } from './hostile-case.ts';
import type { Protocol } from './mutation.ts';
import { mutationsOf } from './mutations.ts';

/** Of the cases of a protocol each how many-th is run, by how they end, and how many honest tasks stand by. */
const sizes: Record<ProofSize, { everyCompleted: number; everyOther: number; bystanders: number }> = {
  // A video that is finished costs more than all else, so fewer of those that end with one are run.
  smoke: { everyCompleted: 150, everyOther: 50, bystanders: 1 },
  ci: { everyCompleted: 26, everyOther: 7, bystanders: 3 },
  full: { everyCompleted: 1, everyOther: 1, bystanders: 6 },
};

/** A glance does without what takes as long as several attempts, or as the patience with a file. */
const outlastsAGlance =
  /output: (status (429|5)|a reset|an end|headers|two|another|a chunk|a status|a thousand|no answer)|status 429, always|no end/;
/** What the promise names is never left out. */
const isNamed =
  /before the submit is answered|three times|at the same moment|after the (success|failure)|token|another task|second, once|never end|poll: (an answer of 10 MB|a body without an end|a failure of 10 MB), always|falls|progress -5|(output|callback): .*forbidden address.* always|without a file, always/;

/** The tasks of a run, in the order in which they are made: those that wait longest first, honest ones among them. */
export function chooseCases(size: ProofSize, protocols: readonly Protocol[]): Case[] {
  const { everyCompleted, everyOther, bystanders } = sizes[size];
  const chosen = protocols.flatMap((protocol, offset) => {
    const all = casesOf(protocol, mutationsOf(protocol)).filter(
      ({ name }) => size !== 'smoke' || !outlastsAGlance.test(name),
    );
    // Another remainder for each protocol: what one of them leaves out, another has.
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

/** What ends by a time limit must begin first, or everything waits for it at last. */
function patience({ ends, times }: Omit<Case, 'number'>): number {
  return times > 1 && ends.some((end) => end === 'engine_lost' || end === 'engine_unavailable') ? 1 : 0;
}
