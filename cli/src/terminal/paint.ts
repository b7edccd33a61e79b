const codes = { accent: 36, good: 32, bad: 31, warning: 33 } as const;

/** Colours a text, or returns it unchanged if colours are off. */
export type Paint = (style: keyof typeof codes, text: string) => string;

/** Returns every text unchanged. */
export const unpainted: Paint = (_style, text) => text;

/** Returns a painter that uses colours unless NO_COLOR is set (no-color.org) or the terminal is dumb. */
export function createPaint(environment: Readonly<Record<string, string | undefined>>): Paint {
  if (environment['NO_COLOR'] || environment['TERM'] === 'dumb') return unpainted;
  return (style, text) => `\x1b[${codes[style]}m${text}\x1b[39m`;
}
