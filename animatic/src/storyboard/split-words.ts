/** A word of a prompt. Of "snow-covered" each part is one. */
export interface Word {
  /** How it compares: small letters without accents, apostrophes and a possessive s. */
  key: string;
  /** As it stands in the prompt, with the parts that hyphens join to it. */
  written: string;
  /** The parts of one written word have the same number. */
  group: number;
  /** Whether punctuation stands before it: phrases and negations end there. */
  startsClause: boolean;
}

const writtenWord = /[\p{L}\p{M}\p{N}]+(?:['’ʼ\-‐‑][\p{L}\p{M}\p{N}]+)*/gu;
const plainWord = /^[a-z]{1,40}$/;
const latin = /^[\p{Script=Latin}\p{M}'’ʼ]+$/u;
const hyphens = /[-‐‑]/u;
const apostrophes = /['’ʼ]/gu;
const punctuation = /[\n\r]|[^\s"'“”‘’]/u;
const articles: ReadonlySet<string> = new Set(['a', 'an', 'the']);
/** Nothing that can be understood is longer; what has no spaces, or means harm, is not compared at all. */
const longestWord = 40;

/** Takes a prompt apart, in time that grows with its length alone. Articles are left out: no phrase needs them. */
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

/** How a word compares. */
function keyOf(written: string): string {
  // Nothing here is written in other scripts.
  if (!latin.test(written)) return written;
  return written
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['’ʼ]s$/u, '')
    .replaceAll(apostrophes, '');
}

/** Words as the prompt has them. */
export function writtenOf(words: readonly Word[]): string {
  return words
    .filter(({ group }, index) => group !== words[index - 1]?.group)
    .map(({ written }) => written)
    .join(' ');
}
