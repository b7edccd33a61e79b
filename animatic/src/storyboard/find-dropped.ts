import { actionDoers, type Doer } from './doings.ts';
import type { Findings, Found } from './find-entries.ts';
import { doersOf, type Kind } from './lexicon.ts';
import { numbers, vagueNumbers } from './numbers.ts';
import type { Word } from './split-words.ts';
import { adjectives } from './stop-words.ts';
import type { PromptReading } from './storyboard.ts';
import type { ActionName, SubjectName } from './vocabulary.ts';

/** Words that are no entries of the vocabulary but may do something: "the sun sinks", "the camera flies". */
const furtherDoers: ReadonlySet<string> = new Set(
  'camera fire light moon river sky smoke sun view water wind'.split(' '),
);
const linking: ReadonlySet<string> = new Set('is are was were that which who'.split(' '));
/** Subjects that are drawn with others of their kind, so that "many birds" is fulfilled. */
const sociable: ReadonlySet<SubjectName | null> = new Set<SubjectName | null>(['bird', 'fish']);
const thingKinds: ReadonlySet<Kind> = new Set<Kind>(['scenes', 'subjects', 'features', 'weathers']);
const plural = /(?:s|people|men|women|children|geese|fish|koi|sheep)$/u;

/**
 * Finds the verbs and numbers that the drawing does not fulfil: "dancing" for somebody who walks, "two" before the one
 * boat. The others are harmless, and a warning about them would only hide the real ones.
 */
export function findDropped(
  words: readonly Word[],
  findings: Findings,
  { subject, action }: Pick<PromptReading, 'subject' | 'action'>,
): Set<Word> {
  const { found, unknown, verbs } = findings;
  const foundAt = new Map(found.map((one) => [one.at, one]));
  const unknownWords = new Set(unknown);
  const dropped = new Set<Word>();
  /** The last thing before the verb, which is mostly the one that does it. */
  let before: Actor = null;
  /** Where a verb directly after that thing would be. What follows such a verb is its object: "a cat playing piano". */
  let directlyAfter = -1;
  for (let at = 0; at < words.length; ) {
    const word = words[at];
    if (!word) break;
    const here = foundAt.get(at);
    const length = here?.words.length ?? 1;
    if (isNumber(word) && countsThing(words, foundAt, at, subject)) dropped.add(word);
    const done = here && actionIn(here);
    const doers = done ? actionDoers[done] : verbs.has(word) ? doersOf(word.key) : undefined;
    // A subject does one thing at a time.
    const own = done === undefined || done === action ? doers : doers?.filter((doer) => doer !== subject);
    const actors = at === directlyAfter ? [before] : [before, actorAt(at + length)];
    if (own && !isFulfilled(own, actors, subject)) for (const one of here?.words ?? [word]) dropped.add(one);
    const actor = actorAt(at);
    before = actor ?? before;
    // "A cat that is playing" is as direct as "a cat playing".
    if (actor || (at === directlyAfter && linking.has(word.key))) directlyAfter = at + length;
    at += length;
  }
  return dropped;

  function actorAt(at: number): Actor {
    const word = words[at];
    const here = foundAt.get(at);
    if (here) return isThing(here) ? (isSubject(here, subject) ? 'subject' : 'scenery') : null;
    if (!word) return null;
    return unknownWords.has(word) ? 'unknown' : furtherDoers.has(word.key) ? 'scenery' : null;
  }
}

type Actor = 'subject' | 'scenery' | 'unknown' | null;

/** Returns whether the pictures show what a verb says, or the one who does it is itself named as unknown. */
function isFulfilled(doers: readonly Doer[], actors: readonly Actor[], subject: SubjectName | null): boolean {
  if (doers.length === 0) return false;
  if (subject === null || doers.includes(subject) || actors.includes('unknown')) return true;
  return doers.includes('scenery') && actors.includes('scenery');
}

function actionIn({ entry }: Found): ActionName | undefined {
  return entry.meanings.find((meaning) => meaning.kind === 'actions')?.name;
}

function isNumber({ key, written }: Word): boolean {
  // A part of "4-5" is no count.
  return numbers.has(key) || vagueNumbers.has(key) || (/^\d{1,4}$/.test(key) && key !== '1' && key === written);
}

/** Returns whether a number counts something that is drawn: "two red boats", "hundreds of balloons", "a couple". */
function countsThing(
  words: readonly Word[],
  foundAt: ReadonlyMap<number, Found>,
  at: number,
  subject: SubjectName | null,
): boolean {
  const isVague = vagueNumbers.has(words[at]?.key ?? '');
  const itself = foundAt.get(at);
  if (itself && isThing(itself)) return true;
  let next = at + (itself?.words.length ?? 1);
  for (let step = 0; step < 4; step += 1) {
    const word = words[next];
    if (!word || word.startsClause) return false;
    const here = foundAt.get(next);
    if (here && isThing(here)) {
      const isCounted = isVague ? isSubject(here, subject) && !sociable.has(subject) : !isWeather(here);
      return isCounted && plural.test(here.words.at(-1)?.key ?? '');
    }
    const isColour = here?.entry.meanings.every(({ kind }) => kind === 'colours') ?? false;
    if (!isColour && !adjectives.has(word.key) && word.key !== 'of' && !numbers.has(word.key)) return false;
    next += here?.words.length ?? 1;
  }
  return false;
}

/** Returns whether an entry names something that can do something, rather than a time or a colour. */
function isThing({ entry: { meanings, hints } }: Found): boolean {
  return [...meanings, ...hints].some(({ kind }) => thingKinds.has(kind));
}

function isWeather({ entry: { meanings } }: Found): boolean {
  return meanings.some(({ kind }) => kind === 'weathers');
}

function isSubject({ entry: { meanings, hints } }: Found, subject: SubjectName | null): boolean {
  return [...meanings, ...hints].some(({ kind, name }) => kind === 'subjects' && name === subject);
}
