/** 80 bits by the crude estimate below, which undercounts: 16 random bytes in hexadecimal get about 115 of 128. */
const leastBits = 80;

/** Returns what makes a secret easy to guess, to continue "each key must …"; null if nothing obvious does. */
export function weaknessOf(secret: string): string | null {
  if (/change.?me|example|development/i.test(secret)) return 'not be one from an example or from development';
  const characters = [...secret].map((character) => character.codePointAt(0) ?? 0);
  // Steps between neighbours reveal sequences: "abcdef…" has many characters but only one step.
  const steps = characters.slice(1).map((character, index) => character - (characters[index] ?? 0));
  const bits = Math.min(entropyBits(characters), entropyBits(steps));
  if (bits < leastBits || /^(.+?)\1+$/s.test(secret)) return 'be random, without repetitions';
  return null;
}

/** Returns how many bits the values would need if they were drawn one by one as often as each occurs. */
function entropyBits(values: readonly number[]): number {
  const counts = Array.from(Map.groupBy(values, (value) => value).values(), (group) => group.length);
  return counts.reduce((bits, count) => bits + count * Math.log2(values.length / count), 0);
}
