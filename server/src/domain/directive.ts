import { type AttemptFailureCode, type TaskFailureCode, taskFailureCodes } from './failure.ts';
import { nearestName } from './nearest-name.ts';

/** The behaviour that a test prompt forces: first a delay, then at most one outcome instead of a video. */
export interface Directives {
  delaySeconds: number;
  outcome: { kind: 'fail'; code: TaskFailureCode; isOnce: boolean } | { kind: 'stall' } | { kind: 'lose' } | null;
}

/** How the built-in engine handles a job: it waits, then draws the video or produces the given outcome instead. */
export interface JobDirective {
  delaySeconds: number;
  outcome: 'draw' | 'stall' | 'lose' | AttemptFailureCode;
}

export interface DirectiveProblem {
  code: 'malformed' | 'not_allowed' | 'too_big' | 'too_many';
  message: string;
  allowed?: readonly (string | number)[];
}

type Read = Partial<Directives> | { problem: DirectiveProblem };

const maximumDelaySeconds = 600;

const forms = ['[[fail:CODE]]', '[[fail-once:CODE]]', '[[delay:SECONDS]]', '[[stall]]', '[[lose]]'];
const directiveNames = ['fail', 'fail-once', 'delay', 'stall', 'lose'];
const plainNames = new Set(directiveNames.map(plainName));
const candidate = /\[\[\s*([A-Za-z_-]+)([^[\]]*)(\]\])?/g;

/**
 * Reads the directives of a test-mode prompt, or returns what is wrong with them. Double brackets are a directive if
 * they begin with a directive's name in any spelling. Others are text, because some models weigh words that way.
 */
export function parseDirectives(prompt: string): { directives: Directives } | { problem: DirectiveProblem } {
  const directives: Directives = { delaySeconds: 0, outcome: null };
  const seen = new Set<string>();
  for (const [, name = '', rest = '', closing] of prompt.matchAll(candidate)) {
    if (!isDirective(name)) continue;
    const read = closing === undefined ? malformed() : readDirective(name, rest);
    if ('problem' in read) return read;
    for (const part of Object.keys(read)) {
      if (seen.has(part)) return refuse('too_many', 'prompt can contain at most one delay and one outcome');
      seen.add(part);
    }
    Object.assign(directives, read);
  }
  return { directives };
}

/** Returns a prompt without its directives: the text to draw. */
export function withoutDirectives(prompt: string): string {
  return prompt.replaceAll(candidate, (text, name: string, _rest, closing?: string) =>
    isDirective(name) && closing !== undefined ? ' ' : text,
  );
}

/** Warns of brackets without effect: directives of a live key, and what looks like a mistyped one of a test key. */
export function directiveWarning(prompt: string, livemode: boolean): string | null {
  for (const [, name = ''] of prompt.matchAll(candidate)) {
    if (isDirective(name)) {
      if (livemode) return `[[${plainName(name)}…]] has no effect with a live key. Directives work with test keys.`;
    } else if (!livemode) {
      const meant = nearestName(name, directiveNames);
      if (meant !== null) return `[[${name}…]] is not a directive and has no effect. Did you mean [[${meant}…]]?`;
    }
  }
  return null;
}

function isDirective(name: string): boolean {
  return plainNames.has(plainName(name));
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

function readDirective(name: string, rest: string): Read {
  const value = rest.startsWith(':') ? rest.slice(1).trim() : null;
  switch (name) {
    case 'stall':
    case 'lose':
      return rest === '' ? { outcome: { kind: name } } : malformed();
    case 'fail':
    case 'fail-once': {
      if (value === null) return malformed();
      const code = taskFailureCodes.find((known) => known === value);
      if (code) return { outcome: { kind: 'fail', code, isOnce: name === 'fail-once' } };
      const message = `the code of [[${name}:CODE]] must be one of ${taskFailureCodes.join(', ')}`;
      return refuse('not_allowed', message, taskFailureCodes);
    }
    case 'delay':
      if (value === null || !/^\d{1,9}(\.\d{1,3})?$/.test(value)) return malformed();
      if (Number(value) <= maximumDelaySeconds) return { delaySeconds: Number(value) };
      return refuse('too_big', `[[delay:SECONDS]] must be at most ${maximumDelaySeconds}`, [0, maximumDelaySeconds]);
    default:
      return malformed();
  }
}

function malformed(): { problem: DirectiveProblem } {
  return refuse('malformed', `a directive in the prompt of a test key must be one of ${forms.join(', ')}`, forms);
}

function refuse(code: DirectiveProblem['code'], message: string, allowed?: DirectiveProblem['allowed']) {
  return { problem: { code, message, ...(allowed ? { allowed } : {}) } };
}
