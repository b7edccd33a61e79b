import { type Doer, doings } from './doings.ts';
import { numbers, vagueNumbers } from './numbers.ts';
import { stopPhrases, stopWords } from './stop-words.ts';
import { hints, landmarks, type SceneName, verbs, vocabulary } from './vocabulary.ts';

type Vocabulary = typeof vocabulary;
export type Kind = keyof Vocabulary;

/** Something that a word means. */
export type Meaning = { [Of in Kind]: { kind: Of; name: keyof Vocabulary[Of] } }[Kind];

/** A word or phrase and what it means. The entry of a stop phrase has no meanings and no hints. */
export interface Entry {
  /** As the vocabulary spells it. */
  phrase: string;
  meanings: readonly Meaning[];
  /** What it suggests if the prompt names nothing of that kind. */
  hints: readonly Meaning[];
  /** Whether it is a thing that is not drawn, whatever it suggests. */
  isUndrawn: boolean;
}

const entries = new Map<string, Entry & { meanings: Meaning[]; hints: Meaning[] }>();
/** Every spelling of an entry, such as its plural. */
const forms = new Map<string, Entry>();

const entryOf = (phrase: string) => {
  const known = entries.get(phrase);
  if (known) return known;
  const entry = { phrase, meanings: [], hints: [], isUndrawn: false };
  entries.set(phrase, entry);
  return entry;
};
for (const meaning of meaningsIn(vocabulary)) entryOf(meaning.phrase).meanings.push(meaning.meaning);
for (const meaning of meaningsIn(hints)) entryOf(meaning.phrase).hints.push(meaning.meaning);
for (const [name, phrases] of Object.entries(landmarks) as [SceneName, readonly string[]][]) {
  for (const phrase of phrases) {
    const entry = entryOf(phrase);
    entry.hints.push({ kind: 'scenes', name });
    entry.isUndrawn = entry.meanings.length === 0;
  }
}
for (const phrase of stopPhrases) entryOf(phrase);
// Words of the vocabulary take precedence over derived forms: "clearing" is a forest, not a form of "clear".
for (const [phrase, entry] of entries) forms.set(phrase, entry);
for (const [phrase, entry] of entries)
  for (const form of formsOfPhrase(phrase)) if (!forms.has(form)) forms.set(form, entry);

const stopWordForms: ReadonlySet<string> = new Set([...stopWords].flatMap((word) => [word, ...pluralsOf(word)]));
const doersByForm: ReadonlyMap<string, readonly Doer[]> = new Map(
  Object.entries(doings).flatMap(([verb, doers]) =>
    [verb, ...pluralsOf(verb), ...verbFormsOf(verb)].map((form) => [form, doers] as const),
  ),
);

/** The beginnings of all phrases, so that a lookup can stop early. */
const beginnings: ReadonlySet<string> = new Set(
  [...forms.keys()].flatMap((form) => {
    const words = form.split(' ');
    return words.slice(1).map((_, index) => words.slice(0, index + 1).join(' '));
  }),
);

/** Finds the entry of a phrase: words as `splitWords` normalises them, separated by spaces. */
export function lookUp(phrase: string): Entry | undefined {
  return forms.get(phrase);
}

/** Returns whether a longer phrase begins with this one. */
export function isBeginning(phrase: string): boolean {
  return beginnings.has(phrase);
}

/** Returns who does what a verb says in the pictures, or undefined for a word that is no such verb. */
export function doersOf(key: string): readonly Doer[] | undefined {
  return doersByForm.get(key);
}

/**
 * Returns whether a word names nothing to draw: stop words, verbs, numbers ("two", "4k", "60fps") and single letters.
 * `findDropped` finds the verbs and numbers that matter nevertheless.
 */
export function isStopWord(key: string): boolean {
  return (
    stopWordForms.has(key) ||
    doersByForm.has(key) ||
    numbers.has(key) ||
    vagueNumbers.has(key) ||
    /\p{N}|^[a-z]$/u.test(key)
  );
}

function meaningsIn(lists: Partial<Record<Kind, Record<string, readonly string[]>>>) {
  return Object.entries(lists).flatMap(([kind, names]) =>
    Object.entries(names).flatMap(([name, phrases]) =>
      // The keys of the vocabulary are its kinds and names; a test checks those of the hints.
      phrases.map((phrase) => ({ phrase, meaning: { kind, name } as Meaning })),
    ),
  );
}

function formsOfPhrase(phrase: string): string[] {
  return phrase
    .split(' ')
    .map((word) => [word, ...pluralsOf(word), ...(verbs.includes(word) ? verbFormsOf(word) : [])])
    .reduce((begun, ends) => begun.flatMap((start) => ends.map((end) => `${start} ${end}`)));
}

/** Returns every possible plural, which also covers verbs with -s. Wrong ones do no harm: no prompt has them. */
function pluralsOf(word: string): string[] {
  if (word.endsWith('y')) return [`${word}s`, `${word.slice(0, -1)}ies`];
  return [`${word}s`, `${word}es`];
}

function verbFormsOf(verb: string): string[] {
  const stem = verb.replace(/e$/, '');
  // "panning" and "panned", but "raining" and "rowed".
  const doubled = /^[^aeiou]*[aeiou][bdgklmnprt]$/.test(verb) ? verb + verb.slice(-1) : stem;
  return [`${doubled}ing`, `${doubled}ed`, `${stem.replace(/y$/, 'i')}ed`];
}
