import { expect, it } from 'vitest';
import { type CellsEvidence, judgeCells } from './judge-cells.ts';

const lived = (
  phase: 'lives' | 'is dead' | 'comes back',
  milliseconds: number | null,
  problem: string | null = null,
) => ({
  phase,
  milliseconds,
  problem,
});
const moving = { path: '/', status: 503, code: 'moving' };
const found = { path: '/', status: 200, code: null };
const good: CellsEvidence = {
  routes: [{ name: 'the key', expected: 200, status: 200 }],
  tasks: [lived('lives', 900), lived('is dead', 800), lived('comes back', 3_000)],
  whileDead: [
    { path: 'a read of A', status: 503, code: 'overloaded' },
    { ...found, path: 'a link of B' },
  ],
  leftOfA: { accepted: 3, notCompleted: 0 },
  moved: [
    { ...found, backend: null },
    { ...moving, backend: 'cell_b' },
    { ...moving, backend: 'moving' },
    { ...found, backend: 'cell_a' },
  ],
};

it('two cells that do not disturb each other keep the promise', () => {
  expect(judgeCells(good).failures).toEqual([]);
});

it.each<[string, Partial<CellsEvidence>]>([
  ['a request reached the wrong cell', { routes: [{ name: 'the key', expected: 200, status: 404 }] }],
  ['a task of B failed while A was dead', { tasks: [...good.tasks, lived('is dead', null, 'expected 200, got 503')] }],
  ['B was slower while A was dead', { tasks: [...good.tasks, lived('is dead', 9_000), lived('is dead', 9_000)] }],
  ['B did nothing while A came back', { tasks: good.tasks.slice(0, 2) }],
  ['a key of A was unknown while A was dead', { whileDead: [{ ...moving, status: 401 }] }],
  ['a link of B failed while A was dead', { whileDead: [{ path: 'a link of B', status: 503, code: 'overloaded' }] }],
  ['A lost a task', { leftOfA: { accepted: 3, notCompleted: 1 } }],
  ['a moving project got 401', { moved: [...good.moved, { path: '/', status: 401, code: 'x', backend: null }] }],
  ['a moving project got 404', { moved: [...good.moved, { path: '/', status: 404, code: 'x', backend: null }] }],
  ['the changed line had no effect', { moved: [...good.moved, { ...found, backend: 'cell_b' }] }],
  ['the line did not come back', { moved: good.moved.slice(0, 3) }],
])('a record in which %s is refused', (_name, change) => {
  expect(judgeCells({ ...good, ...change }).failures).not.toEqual([]);
});
