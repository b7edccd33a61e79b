import { doersOf, type Entry, isBeginning, isStopWord, lookUp } from './lexicon.ts';
import type { Word } from './split-words.ts';

/** A word or phrase of the vocabulary, found in a prompt. */
export interface Found {
  entry: Entry;
  words: readonly Word[];
  /** The index of its first word in the prompt. */
  at: number;
}

const negators: ReadonlySet<string> = new Set(
  'no not without never nor neither dont doesnt isnt arent wasnt avoid avoiding lacking lacks except minus'.split(' '),
);
/** Words that cancel the negator directly before them: "not only", "no one", "never ending". */
const lifting: ReadonlySet<string> = new Set(['only', 'just', 'one', 'longer', 'matter', 'doubt', 'ending', 'before']);
/** The most filler words between a negator and what it negates: "not at all in the". */
const longestReach = 4;

/** What the words of a prompt are. */
export interface Findings {
  found: Found[];
  negated: Found[];
  unknown: Word[];
  /** Verbs that say what something does and that are not negated. */
  verbs: ReadonlySet<Word>;
}

/** Finds the vocabulary's entries, the longest phrase first; negated ones, unknown words and verbs are separate. */
export function findEntries(words: readonly Word[]): Findings {
  const verbs = new Set<Word>();
  const found: Found[] = [];
  const negated: Found[] = [];
  const unknown: Word[] = [];
  /** A negation covers the words from the next one that has a meaning up to the next one that has none. */
  let negation: { reach: number; isBegun: boolean } | null = null;
  for (let at = 0; at < words.length; ) {
    const word = words[at];
    if (!word) break;
    if (word.startsClause) negation = null;
    if (isNegator(words, at)) {
      negation = { reach: longestReach, isBegun: false };
      at += 1;
      continue;
    }
    const match = longestMatch(words, at);
    const saysSomething = match
      ? match.entry.meanings.length + match.entry.hints.length > 0
      : !isStopWord(word.key) && !negators.has(word.key);
    if (negation && saysSomething) negation.isBegun = true;
    else if (negation) negation = carriedOver(negation, word.key);
    if (match) (negation ? negated : found).push(match);
    if (saysSomething && !negation && (!match || match.entry.isUndrawn)) unknown.push(...(match?.words ?? [word]));
    if (!match && !negation && doersOf(word.key)) verbs.add(word);
    at += match?.words.length ?? 1;
  }
  return { found, negated, unknown, verbs };
}

function isNegator(words: readonly Word[], at: number): boolean {
  const [word, next] = [words[at], words[at + 1]];
  if (!word || !negators.has(word.key)) return false;
  // A hyphenated word such as "never-ending" or "no-one" is not a negation.
  return !(next && (next.group === word.group || (lifting.has(next.key) && !next.startsClause)));
}

/** Returns what remains of a negation after a word without a meaning. */
function carriedOver(negation: { reach: number; isBegun: boolean }, key: string) {
  if (key === 'or') return { reach: longestReach, isBegun: false };
  if (negation.isBegun || negation.reach === 0 || key === 'but') return null;
  return { reach: negation.reach - 1, isBegun: false };
}

function longestMatch(words: readonly Word[], at: number): Found | null {
  let best: Found | null = null;
  let phrase = words[at]?.key ?? '';
  for (let end = at + 1; ; end += 1) {
    const entry = lookUp(phrase);
    if (entry) best = { entry, words: words.slice(at, end), at };
    const next = words[end];
    if (!next || next.startsClause || !isBeginning(phrase)) return best;
    phrase = `${phrase} ${next.key}`;
  }
}
