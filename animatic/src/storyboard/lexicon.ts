import { passedOverPhrases, passedOverWords } from './passed-over-words.ts';
import { hints, landmarks, type SceneName, verbs, vocabulary } from './vocabulary.ts';

type Vocabulary = typeof vocabulary;
export type Kind = keyof Vocabulary;

/** Something that a word stands for. */
export type Meaning = { [Of in Kind]: { kind: Of; name: keyof Vocabulary[Of] } }[Kind];

/** What a word or phrase says. One that is passed over says nothing. */
export interface Entry {
  /** As it stands in the vocabulary. */
  phrase: string;
  meanings: readonly Meaning[];
  /** What it suggests where nothing of the kind is named. */
  hints: readonly Meaning[];
  /** A thing that is not drawn, whatever it suggests. */
  isUndrawn: boolean;
}

const entries = new Map<string, Entry & { meanings: Meaning[]; hints: Meaning[] }>();
/** Every way in which an entry is written. */
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
for (const phrase of passedOverPhrases) entryOf(phrase);
// What is written in the vocabulary comes before what only follows from it: "clearing" is a forest.
for (const [phrase, entry] of entries) forms.set(phrase, entry);
for (const [phrase, entry] of entries)
  for (const form of formsOfPhrase(phrase)) if (!forms.has(form)) forms.set(form, entry);

const passedOver: ReadonlySet<string> = new Set([...passedOverWords].flatMap((word) => [word, ...pluralsOf(word)]));

/** Whatever phrases begin with, so that few words have to be looked up together. */
const beginnings: ReadonlySet<string> = new Set(
  [...forms.keys()].flatMap((form) => {
    const words = form.split(' ');
    return words.slice(1).map((_, index) => words.slice(0, index + 1).join(' '));
  }),
);

/** What a phrase says; its words as `keyOf` gives them, a space between. */
export function lookUp(phrase: string): Entry | undefined {
  return forms.get(phrase);
}

/** Whether a phrase goes on from here. */
export function isBeginning(phrase: string): boolean {
  return beginnings.has(phrase);
}

/** Whether nothing is lost with a word: filler, numbers ("4k", "60fps") and single letters. */
export function isPassedOver(key: string): boolean {
  return passedOver.has(key) || /\p{N}|^[a-z]$/u.test(key);
}

function meaningsIn(lists: Partial<Record<Kind, Record<string, readonly string[]>>>) {
  return Object.entries(lists).flatMap(([kind, names]) =>
    Object.entries(names).flatMap(([name, phrases]) =>
      // The keys of the vocabulary are its kinds and names; those of the hints are checked by the test.
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

/** Also the -s of a verb. Every guess is listed: nobody writes the wrong ones. */
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
