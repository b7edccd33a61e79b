const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u4DBF\u4E00-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;
const zeroWidth = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** Returns how many terminal cells a text takes: East Asian characters and emoji take two, combining accents none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

function widthOfCharacter(character: string): number {
  if (character <= '~') return 1;
  return zeroWidth.test(character) ? 0 : wide.test(character) ? 2 : 1;
}

/** Returns the text, or its start and an ellipsis if it takes more than `cells` cells. */
export function cutTo(text: string, cells: number): string {
  if (widthOf(text) <= cells) return text;
  let start = '';
  let width = 1; // the ellipsis
  for (const character of text) {
    width += widthOfCharacter(character);
    if (width > cells) break;
    start += character;
  }
  return `${start}…`;
}

/** Pads the text with spaces to `cells` cells, on the right or, for numbers, on the left. */
export function padTo(text: string, cells: number, side: 'left' | 'right' = 'right'): string {
  const spaces = ' '.repeat(Math.max(0, cells - widthOf(text)));
  return side === 'left' ? spaces + text : text + spaces;
}
