import { expect, it } from 'vitest';
import { systemClock } from '../../domain/clock.ts';
import { createCreateTurns } from './create-turns.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('four creates of a project are under way at a time, the next ones in their order, and other projects do not wait', async () => {
  const turns = createCreateTurns({ clock: systemClock });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const create = (projectId: string, name: string) =>
    turns.take({ projectId }, async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
  const creates = ['1', '2', '3', '4', '5', '6'].map((name) => create('proj_a', name));
  creates.push(create('proj_b', 'other'));
  await settled();
  expect(started).toEqual(['1', '2', '3', '4', 'other']);
  for (let count = 0; count < 7; count += 1) {
    ends.shift()?.();
    await settled();
  }
  await Promise.all(creates);
  expect(started).toEqual(['1', '2', '3', '4', 'other', '5', '6']);
});
