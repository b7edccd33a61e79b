import { expect, it } from 'vitest';
import { chooseCases } from './choose-cases.ts';
import { caseNumberIn, promptOf } from './hostile-case.ts';
import { protocols } from './mutation.ts';

it('every case has its own number, which its prompt contains', () => {
  const cases = chooseCases('full', protocols);
  expect(new Set(cases.map(({ number }) => number)).size).toBe(cases.length);
  expect(new Set(cases.map(({ name, mutation }) => (mutation ? name : Symbol(name)))).size).toBe(cases.length);
  for (const known of cases) expect(caseNumberIn(`{"text":"${promptOf(known)}"}`)).toBe(known.number);
});

it('the CI size has at least 300 hostile tasks, and covers every protocol and operation', () => {
  const hostile = chooseCases('ci', protocols).filter(({ mutation }) => mutation !== null);
  expect(hostile.length).toBeGreaterThanOrEqual(300);
  const operations = new Set(hostile.flatMap(({ mutation }) => mutation?.operations ?? []));
  expect([...operations].toSorted()).toEqual([
    'callback',
    'cancel',
    'discard',
    'frames',
    'list',
    'output',
    'poll',
    'queue',
    'submit',
    'upload',
  ]);
  for (const protocol of protocols)
    expect(hostile.filter((known) => known.protocol === protocol).length).toBeGreaterThan(30);
});
