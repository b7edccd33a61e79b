const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u4DBF\u4E00-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;
// Terminals draw a soft hyphen. The variation selector U+FE0F turns a narrow character into an emoji of two cells.
const zeroWidth = /(?!\u00ad|\ufe0f)[\p{Mn}\p{Me}\p{Cf}]/u;

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
  return `${startOf(text, cells - 1).replace(/[\s\u200d]+$/, '')}…`;
}

/** Breaks a text into lines of at most `cells`, between words, or within a word that is longer than a line. */
export function wrapTo(text: string, cells: number): string[] {
  const lines: string[] = [];
  let rest = text.trimEnd();
  while (widthOf(rest) > cells) {
    // The space after the last word may be beyond the end of the line.
    const start = startOf(rest, cells) || [...rest][0] || '';
    const end = rest[start.length] === ' ' ? start.length : start.lastIndexOf(' ');
    const line = end > 0 && start.slice(0, end).trim() !== '' ? start.slice(0, end) : start;
    lines.push(line.trimEnd());
    rest = rest.slice(line.length).trimStart();
  }
  return rest === '' && lines.length > 0 ? lines : [...lines, rest];
}

/** Returns as much of the start of a text as fits. */
function startOf(text: string, cells: number): string {
  let start = '';
  let width = 0;
  for (const character of text) {
    width += widthOfCharacter(character);
    if (width > cells) break;
    start += character;
  }
  return start;
}

/** Pads the text with spaces to `cells` cells, on the right or, for numbers, on the left. */
export function padTo(text: string, cells: number, side: 'left' | 'right' = 'right'): string {
  const spaces = ' '.repeat(Math.max(0, cells - widthOf(text)));
  return side === 'left' ? spaces + text : text + spaces;
}
