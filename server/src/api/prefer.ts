/** Whether a Prefer header (RFC 7240) holds a preference with this value. */
export function prefers(header: string | string[] | undefined, name: string, value: string): boolean {
  return [header ?? []]
    .flat()
    .flatMap((line) => line.split(','))
    .some((preference) => {
      const [token = '', ...rest] = (preference.split(';')[0] ?? '').split('=');
      const given = rest
        .join('=')
        .trim()
        .replace(/^"(.*)"$/, '$1');
      return token.trim().toLowerCase() === name && given.toLowerCase() === value;
    });
}
