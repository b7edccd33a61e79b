import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckResult } from './step.ts';

/** A promise to users from `docs/promises.json`, with the tests, gate checks and parts of the night that hold it. */
export interface Promised {
  /** The subject, which is its heading on the page. */
  about: string;
  /** One sentence in Markdown, without a full stop. */
  promise: string;
  /** Checks without which the gate fails: `proofs/NAME`, `simulation/NAME`, or `FILE > GROUP > TITLE` of a test. */
  gate?: readonly string[];
  /** Parts of the nightly run, which judge times and sizes too. */
  night?: readonly string[];
  /** Tests that exist and may not be skipped for good: `FILE > GROUP > TITLE`, or `proofs/NAME > TITLE`. */
  tests?: readonly string[];
}

export function readPromises(root: string): Promised[] {
  return JSON.parse(readFileSync(join(root, 'docs/promises.json'), 'utf8')) as Promised[];
}

/** Returns a sentence for each check of a promise that did not run or was skipped. Failed checks speak for themselves. */
export function judgePromises(promises: readonly Promised[], checks: readonly CheckResult[]): string[] {
  return promises.flatMap(({ promise, gate = [] }) =>
    gate.flatMap((named) => {
      const found = checks.filter((check) => isNamed(check, named));
      if (found.length === 0) return [`“${promise}”: ${named} did not run`];
      return found.some(({ status }) => status === 'skipped') ? [`“${promise}”: ${named} was skipped`] : [];
    }),
  );
}

/** Whether a check is the named one; a name without the values of `test.each` names all of its tests. */
function isNamed({ file, name }: CheckResult, named: string): boolean {
  const [path, ...titles] = named.split(' > ');
  if (file !== path) return false;
  const title = titles.join(' ');
  const pattern = title.split(/%[sdji]|\$\w+/).map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return titles.length === 0 || new RegExp(`^${pattern.join('.*')}$`, 's').test(name);
}
