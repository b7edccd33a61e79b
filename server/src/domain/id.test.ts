import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { strayId } from './id.fixture.ts';
import { dayOfId, idFromUuid, lowestUuidAt, uuidFromId } from './id.ts';

const moment = fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });

describe('an id', () => {
  it('is a prefix and 26 characters, and maps to exactly one UUIDv7', () => {
    fc.assert(
      fc.property(moment, (now) => {
        const id = strayId('task', now);
        expect(id).toMatch(/^task_[0-9a-hjkmnp-tv-z]{26}$/);
        const uuid = uuidFromId('task', id);
        expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(idFromUuid('task', uuid ?? '')).toBe(id);
        expect(dayOfId('task', id)).toBe(now.toISOString().slice(0, 10));
      }),
    );
  });

  it('is the number of its UUID in base 32', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        const digits = '0123456789abcdefghjkmnpqrstvwxyz';
        const [, text = ''] = idFromUuid('key', uuid).split('_');
        const value = [...text].reduce((sum, digit) => sum * 32n + BigInt(digits.indexOf(digit)), 0n);
        expect(value).toBe(BigInt(`0x${uuid.replaceAll('-', '')}`));
        expect(uuidFromId('key', `key_${text}`)).toBe(uuid);
      }),
    );
  });

  it('sorts by its creation time, as text and as a UUID', () => {
    fc.assert(
      fc.property(moment, moment, (one, other) => {
        fc.pre(one < other);
        const [first, second] = [strayId('evt', one), strayId('evt', other)];
        expect(first < second).toBe(true);
        expect((uuidFromId('evt', first) ?? '') < lowestUuidAt(other)).toBe(true);
        expect((uuidFromId('evt', second) ?? '') >= lowestUuidAt(other)).toBe(true);
      }),
    );
  });

  it('has exactly one spelling, and any other text is not an id', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (text) => {
        const uuid = uuidFromId('task', text);
        expect(uuid === null || idFromUuid('task', uuid) === text).toBe(true);
      }),
    );
    const id = strayId('task', new Date());
    const others = [
      id.toUpperCase(),
      id.slice(0, -1),
      `${id}0`,
      `${id} `,
      id.replace('task_', 'key_'),
      `task_z${'0'.repeat(25)}`,
      'task_',
    ];
    for (const text of others) expect(uuidFromId('task', text)).toBeNull();
  });
});
