/**
 * Whether a source has a test or a group with this title, or is a proof with this promise. `test.fails` and `test.skip`
 * do not count; a title after `)(` is that of `test.each` or `test.skipIf`.
 */
export function isTitleIn(source: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) =>
    source
      .split(`${quote}${title}${quote}`)
      .slice(0, -1)
      .some((before) => /(?:\b(?:describe|it|test)(?:\.concurrent)?\(|\)\(|\bpromise:)\s*$/.test(before.slice(-200))),
  );
}
