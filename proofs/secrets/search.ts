export type Place = 'log' | 'database' | 'history';

/** A text that may contain a secret: a log file, a dump, a workflow's history. */
export interface Haystack {
  place: Place;
  name: string;
  text: string;
}

/** A value that was sent, and the places where it must not be. */
export interface Planted {
  what: string;
  value: string;
  forbiddenIn: readonly Place[];
}

/** A secret that was put somewhere on purpose: if the search does not find it, its result means nothing. */
export interface Control {
  value: string;
  place: Place;
}

/** The patterns of all of Kinora's secrets. */
const patterns: { what: string; pattern: RegExp }[] = [
  { what: 'an API key', pattern: /kin_(?:live|test)_[0-9A-Za-z]{20,}/g },
  { what: 'a token', pattern: /kin_token_[\w-]+\.[\w-]{43}/g },
  { what: 'a webhook secret', pattern: /whsec_[A-Za-z0-9+/=_-]{16,}/g },
  { what: 'the signature of a webhook', pattern: /v1,[A-Za-z0-9+/]{43}=/g },
  { what: 'the signature of a URL', pattern: /signature=[A-Za-z0-9_-]{43}/g },
];

/** Returns an objection for each secret in a forbidden place, and for each control that was not found. */
export function searchSecrets(
  haystacks: readonly Haystack[],
  planted: readonly Planted[],
  controls: readonly Control[],
): string[] {
  const failures: string[] = [];
  for (const { place, name, text } of haystacks) {
    for (const { what, value, forbiddenIn } of planted) {
      const form = forbiddenIn.includes(place)
        ? formsOf(value).find(([, spelling]) => text.includes(spelling))
        : undefined;
      if (form) failures.push(`${name} contains ${what} (${form[0]})`);
    }
    const excused = new Set(controls.filter((control) => control.place === place).map(({ value }) => value));
    for (const { what, pattern } of patterns) {
      const found = [...text.matchAll(pattern)].find(([match]) => !excused.has(match));
      if (found) failures.push(`${name} contains a text that looks like ${what}, at character ${found.index}`);
    }
  }
  for (const { place, value } of controls) {
    const isFound = haystacks.some((haystack) => haystack.place === place && haystack.text.includes(value));
    if (!isFound)
      failures.push(
        `the search did not find the secret that was planted in a ${place} on purpose, so it may have missed others`,
      );
  }
  return failures;
}

/** Returns the spellings of a value: dumps have bytes in hex, histories and headers in base64, logs in JSON. */
function formsOf(value: string): [string, string][] {
  const bytes = Buffer.from(value, 'utf8');
  return [
    ['as it is', value],
    ['in hex', bytes.toString('hex')],
    ['in base64', bytes.toString('base64').replace(/=+$/, '')],
    ['percent-encoded', encodeURIComponent(value)],
    ['as JSON', JSON.stringify(value).slice(1, -1)],
  ];
}
