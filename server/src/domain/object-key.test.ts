import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { strayId } from './id.fixture.ts';
import { contentKey, rawKey, taskOfKey, uploadKey } from './object-key.ts';

const moment = fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });

describe('the key of an object', () => {
  it('begins with the day and the id of its task, and the task can be read from it', () => {
    fc.assert(
      fc.property(moment, fc.integer({ min: 1, max: 100 }), (now, attempt) => {
        const id = strayId('task', now);
        const folder = `${now.toISOString().slice(0, 10)}/${id}/`;
        for (const key of [rawKey(id, attempt), contentKey(id, 'f'.repeat(64), 'mp4')]) {
          expect(key.startsWith(folder)).toBe(true);
          expect(taskOfKey(key)).toBe(id);
        }
      }),
    );
  });

  it('differs by attempt, content and kind', () => {
    const id = strayId('task', new Date());
    const keys = [
      rawKey(id, 1),
      rawKey(id, 2),
      contentKey(id, 'a', 'mp4'),
      contentKey(id, 'b', 'mp4'),
      contentKey(id, 'a', 'jpg'),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("belongs to no task if it is not the key of a task's object", () => {
    const id = strayId('task', new Date());
    const others = [
      '',
      'notes.txt',
      uploadKey(strayId('file', new Date()), 'f'.repeat(64)),
      `${id}/raw-1`,
      `2026-11-15/${id}`,
      `2026-11-15/${id}/`,
      `2026-11-15/${id}/deeper/raw-1`,
      `x/2026-11-15/${id}/raw-1`,
      `2026-11-15/${id.toUpperCase()}/raw-1`,
      // Neither of these is a valid id, so a query for its row would fail.
      `2026-11-15/task_${'u'.repeat(26)}/raw-1`,
      `2026-11-15/task_${'z'.repeat(26)}/raw-1`,
    ];
    for (const key of others) expect(taskOfKey(key)).toBeNull();
  });
});
