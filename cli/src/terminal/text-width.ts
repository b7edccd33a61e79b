const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u4DBF\u4E00-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;
const without = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** How many cells of a terminal a text takes: signs of East Asia and emoji take two, accents of their own none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const sign of text) width += widthOfSign(sign);
  return width;
}

function widthOfSign(sign: string): number {
  if (sign <= '~') return 1;
  return without.test(sign) ? 0 : wide.test(sign) ? 2 : 1;
}

/** The text, or as much of its beginning as fits into so many cells. */
export function cutTo(text: string, cells: number): string {
  if (widthOf(text) <= cells) return text;
  let kept = '';
  let width = 1; // of the …
  for (const sign of text) {
    width += widthOfSign(sign);
    if (width > cells) break;
    kept += sign;
  }
  return `${kept}…`;
}

/** Filled up with spaces to so many cells, on the right or, for numbers, on the left. */
export function padTo(text: string, cells: number, side: 'left' | 'right' = 'right'): string {
  const spaces = ' '.repeat(Math.max(0, cells - widthOf(text)));
  return side === 'left' ? spaces + text : text + spaces;
}
