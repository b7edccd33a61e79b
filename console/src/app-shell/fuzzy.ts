/**
 * Returns how well a text fits what was typed; null if it does not. All typed words must be found: at the start of the
 * text, at the start of a word, within a word, or as letters in order (`adlg` finds "Audit log"). More is better.
 */
function fuzzyScore(text: string, typed: string): number | null {
  const inText = text.toLowerCase();
  let sum = 0;
  for (const word of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    const score = scoreOf(inText, word);
    if (score === null) return null;
    sum += score;
  }
  // Of two that fit equally well, the shorter one is nearer to what was typed.
  return sum - inText.length / 1000;
}

function scoreOf(text: string, word: string): number | null {
  if (text.startsWith(word)) return 4;
  if (text.split(/[\s/_.:-]+/).some((part) => part.startsWith(word))) return 3;
  if (text.includes(word)) return 2;
  return hasInOrder(text, word) ? 1 : null;
}

function hasInOrder(text: string, letters: string): boolean {
  let from = 0;
  for (const letter of letters) {
    from = text.indexOf(letter, from) + 1;
    if (from === 0) return false;
  }
  return true;
}

/** Returns the items whose text fits, the best first; all of them in their order if nothing was typed. */
export function fuzzyFilter<Item>(items: readonly Item[], typed: string, textOf: (item: Item) => string): Item[] {
  return items
    .map((item) => ({ item, score: fuzzyScore(textOf(item), typed) }))
    .filter((one): one is { item: Item; score: number } => one.score !== null)
    .sort((one, other) => (typed.trim() === '' ? 0 : other.score - one.score))
    .map(({ item }) => item);
}
