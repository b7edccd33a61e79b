/** Whether a source has a test, group or proof of this title; after `)(` it is that of `test.each` or `test.skipIf`. */
export function isTitleIn(source: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) =>
    source
      .split(`${quote}${title}${quote}`)
      .slice(0, -1)
      .some((before) => /(?:\b(?:describe|it|test)(?:\.concurrent)?\(|\)\(|\bpromise:)\s*$/.test(before.slice(-200))),
  );
}
