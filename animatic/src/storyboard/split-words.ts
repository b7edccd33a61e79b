/** A word of a prompt. Each part of "snow-covered" is a word. */
export interface Word {
  /** The form for comparison: lower case, without accents, apostrophes and the possessive s. */
  key: string;
  /** As the prompt spells it, with the parts that hyphens join to it. */
  written: string;
  /** The parts of one written word have the same number. */
  group: number;
  /** Whether punctuation precedes it: phrases and negations end there. */
  startsClause: boolean;
}

const writtenWord = /[\p{L}\p{M}\p{N}]+(?:['’ʼ\-‐‑][\p{L}\p{M}\p{N}]+)*/gu;
const plainWord = /^[a-z]{1,40}$/;
const latin = /^[\p{Script=Latin}\p{M}'’ʼ]+$/u;
const hyphens = /[-‐‑]/u;
const apostrophes = /['’ʼ]/gu;
const punctuation = /[\n\r]|[^\s"'“”‘’]/u;
const articles: ReadonlySet<string> = new Set(['a', 'an', 'the']);
/** No known word is longer. Longer ones (scripts without spaces, or attacks) are not compared at all. */
const longestWord = 40;

/** Splits a prompt into words, in linear time. Leaves out articles, which no phrase needs. */
export function splitWords(prompt: string): Word[] {
  const visible = prompt.replaceAll(/\p{Cf}/gu, '');
  const words: Word[] = [];
  let end = 0;
  let group = 0;
  let startsClause = false;
  for (const { 0: written, index } of visible.matchAll(writtenWord)) {
    const gap = visible.slice(end, index);
    startsClause ||= gap !== ' ' && punctuation.test(gap);
    end = index + written.length;
    group += 1;
    const keys = keysOf(written);
    if (keys.length === 1 && keys.some((key) => articles.has(key))) continue;
    for (const key of keys) {
      words.push({ key, written, group, startsClause });
      startsClause = false;
    }
  }
  return words;
}

function keysOf(written: string): string[] {
  if (plainWord.test(written)) return [written];
  return written.length > longestWord ? [''] : written.split(hyphens).map(keyOf);
}

/** Returns the form of a word for comparison. */
function keyOf(written: string): string {
  // The vocabulary has no other scripts.
  if (!latin.test(written)) return written;
  return written
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['’ʼ]s$/u, '')
    .replaceAll(apostrophes, '');
}

/** Returns words as the prompt spells them. */
export function writtenOf(words: readonly Word[]): string {
  return words
    .filter(({ group }, index) => group !== words[index - 1]?.group)
    .map(({ written }) => written)
    .join(' ');
}
