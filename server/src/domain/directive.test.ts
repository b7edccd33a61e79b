import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuMilliseconds } from './cpu-time.fixture.ts';
import { type Directives, directiveWarning, parseDirectives } from './directive.ts';
import { taskFailureCodes } from './failure.ts';

const nothing: Directives = { delaySeconds: 0, outcome: null };

function read(prompt: string): Directives {
  const parsed = parseDirectives(prompt);
  if ('problem' in parsed) throw new Error(parsed.problem.message);
  return parsed.directives;
}

function problemOf(prompt: string) {
  const parsed = parseDirectives(prompt);
  if ('directives' in parsed) throw new Error('the prompt was accepted');
  return parsed.problem;
}

describe('the directives of a test prompt', () => {
  it.each(taskFailureCodes)('can force %s, always or once', (code) => {
    expect(read(`a cat [[fail:${code}]]`)).toEqual({ delaySeconds: 0, outcome: { kind: 'fail', code, isOnce: false } });
    expect(read(`[[fail-once:${code}]]a cat`)).toMatchObject({ outcome: { kind: 'fail', code, isOnce: true } });
  });

  it.each([
    ['a cat [[stall]] in the rain', { delaySeconds: 0, outcome: { kind: 'stall' } }],
    ['[[ lose]]', { delaySeconds: 0, outcome: { kind: 'lose' } }],
    ['[[delay:0]]', nothing],
    ['[[delay:600]]', { delaySeconds: 600, outcome: null }],
    ['[[delay:0.25]] a [[fail: engine_crashed ]] cat', { delaySeconds: 0.25, outcome: { kind: 'fail' } }],
  ])('are read anywhere in the prompt: %s', (prompt, expected) => {
    expect(read(prompt)).toMatchObject(expected);
  });

  it.each([
    'a cat',
    '',
    '[fail:engine_crashed]',
    '[[blurry]] hands, ((sharp))',
    '[[a failure]]',
    '[[failing]]',
    ']]stall[[',
  ])('leave other text alone: %s', (prompt) => {
    expect(read(prompt)).toEqual(nothing);
  });

  it.each(['[[fail:unknown]]', '[[fail-once:completed]]', '[[fail:]]', '[[fail:__proto__]]', '[[fail:ENGINE_LOST]]'])(
    'are refused with a list of the codes if they name an unknown failure code: %s',
    (prompt) => {
      expect(problemOf(prompt)).toMatchObject({ code: 'not_allowed', allowed: taskFailureCodes });
    },
  );

  it.each([
    '[[fail]]',
    '[[stall:5]]',
    '[[lose weight]]',
    '[[delay]]',
    '[[delay:]]',
    '[[delay:-1]]',
    '[[delay:1e2]]',
    '[[delay:five]]',
    '[[delay:0x10]]',
    '[[stall',
    '[[stall]',
    '[[delay:5 [[stall]]',
    '[[Fail:engine_crashed]]',
    '[[fail_once:engine_crashed]]',
    '[[failonce:engine_crashed]]',
  ])('are refused with a list of the five forms if they are malformed: %s', (prompt) => {
    const { code, allowed } = problemOf(prompt);
    expect(code).toBe('malformed');
    expect(allowed).toHaveLength(5);
  });

  it('are limited to one delay of at most 600 s and one outcome', () => {
    expect(problemOf('[[delay:600.001]]')).toMatchObject({ code: 'too_big', allowed: [0, 600] });
    expect(problemOf('[[delay:999999999]]')).toMatchObject({ code: 'too_big' });
    expect(problemOf('[[delay:1]][[delay:0]]')).toMatchObject({ code: 'too_many' });
    expect(problemOf('[[stall]] [[lose]]')).toMatchObject({ code: 'too_many' });
    expect(problemOf('[[fail:engine_lost]] [[fail:engine_lost]]')).toMatchObject({ code: 'too_many' });
  });

  it('never make the parser throw or run slowly', () => {
    const pieces = fc.constantFrom('[[', ']]', '[', ']', ':', 'fail', '-once', 'delay', 'stall', 'lose', ' ', '9', 'é');
    const prompts = fc.oneof(
      fc.string(),
      fc.array(pieces, { maxLength: 400 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(prompts, (prompt) => {
        const parsed = parseDirectives(prompt);
        expect('directives' in parsed || parsed.problem.message !== '').toBe(true);
      }),
    );
    const before = cpuMilliseconds();
    parseDirectives('[['.repeat(1000));
    parseDirectives(`[[${'a'.repeat(1998)}`.repeat(10));
    expect(cpuMilliseconds() - before).toBeLessThan(200);
  });
});

describe('a warning about directives', () => {
  it.each([
    ['a cat [[fali:engine_lost]]', '[[fali…]] is not a directive and has no effect. Did you mean [[fail…]]?'],
    ['[[fail-twice:engine_lost]]', '[[fail-twice…]] is not a directive and has no effect. Did you mean [[fail…]]?'],
    ['[[dealy:5]]', '[[dealy…]] is not a directive and has no effect. Did you mean [[delay…]]?'],
    ['[[blurry]] hands', null],
    ['[[stall]] a cat', null],
  ])('with a test key names what a mistyped directive probably means: %s', (prompt, warning) => {
    expect(directiveWarning(prompt, false)).toBe(warning);
  });

  it.each([
    ['[[fail:engine_lost]] a lake', '[[fail…]] has no effect with a live key. Directives work with test keys.'],
    ['a [[Stall]]', '[[stall…]] has no effect with a live key. Directives work with test keys.'],
    ['[[fali:engine_lost]] a lake', null],
    ['[[blurry]] hands', null],
  ])('with a live key says that directives have no effect: %s', (prompt, warning) => {
    expect(directiveWarning(prompt, true)).toBe(warning);
  });
});
