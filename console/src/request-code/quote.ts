/** Returns a word of a POSIX shell that means exactly this text. Plain words stay as they are. */
export function quoteShell(text: string): string {
  if (/^[\w@%+:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns a JSON text that is also a Python literal: strings, numbers, lists and maps are written alike in both. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** Returns a TypeScript literal: JSON with bare names, and single quotes where no quote has to be escaped. */
export function writeTypeScript(value: unknown, indent = ''): string {
  if (typeof value === 'string') return quoteTypeScript(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const lines = Object.entries(value).map(
    ([name, one]) =>
      `${inner}${/^[a-z_$][\w$]*$/i.test(name) ? name : quoteTypeScript(name)}: ${writeTypeScript(one, inner)},`,
  );
  return ['{', ...lines, `${indent}}`].join('\n');
}

function quoteTypeScript(text: string): string {
  const quoted = JSON.stringify(text);
  return /['"]/.test(text) ? quoted : `'${quoted.slice(1, -1)}'`;
}
