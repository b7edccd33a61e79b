/** Text of others in one line that cannot steer the terminal or turn its direction; with a length, cut to it. */
export function oneLine(text: string, longest = Number.POSITIVE_INFINITY): string {
  const characters = [...text.replace(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()];
  return characters.length <= longest ? characters.join('') : `${characters.slice(0, longest - 1).join('')}…`;
}
