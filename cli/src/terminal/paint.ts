const codes = { accent: 36, good: 32, bad: 31, warning: 33 } as const;

/** Colours a text; where nobody wants colours it stays as it is. */
export type Paint = (style: keyof typeof codes, text: string) => string;

/** No colours at all. */
export const unpainted: Paint = (_style, text) => text;

/** Colours unless NO_COLOR is set (no-color.org) or the terminal has none. */
export function createPaint(environment: Readonly<Record<string, string | undefined>>): Paint {
  if (environment['NO_COLOR'] || environment['TERM'] === 'dumb') return unpainted;
  return (style, text) => `\x1b[${codes[style]}m${text}\x1b[39m`;
}
