import { seededRandom } from '@kinora/stack/harness/seeded-random';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { generateApiKey, parseApiKey } from './api-key.ts';
import { newId, newProjectId } from './id.ts';
import { replaceRandom } from './random.ts';
import { digits, isShard, parseShards, pickShard, shardOfCredential, shardOfId, shardOfPath } from './shard.ts';

const moment = fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
const digit = fc.constantFrom(...digits);
const shard = fc.tuple(digit, digit).map((pair) => pair.join(''));
const owned = ['task', 'key', 'evt', 'file', 'whk', 'del', 'aud'] as const;

test('every id and key of a project has the shard of the project, whenever it was made', () => {
  fc.assert(
    fc.property(
      shard,
      moment,
      moment,
      fc.constantFrom(...owned),
      fc.boolean(),
      (named, then, now, prefix, livemode) => {
        const projectId = newProjectId(then, named);
        const id = newId(prefix, now, projectId);
        expect([projectId, id].map(shardOfId)).toEqual([named, named]);
        // As a proxy reads it, by places alone.
        expect(id.split('_')[1]?.slice(11, 13)).toBe(named);
        expect(generateApiKey(livemode, named).slice(9, 11)).toBe(named);
        expect(parseApiKey(generateApiKey(livemode, named))?.shard).toBe(named);
      },
    ),
  );
});

test('the random bits beside the shard stay random', () => {
  const now = new Date('2026-11-19T00:00:00Z');
  const projectId = newProjectId(now);
  const ids = Array.from({ length: 2_000 }, () => newId('task', now, projectId));
  expect(new Set(ids).size).toBe(2_000);
});

test('projects are spread evenly over the 1,024 shards', () => {
  const seeded = seededRandom(35);
  const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => seeded.below(256)));
  onTestFinished(replaceRandom({ bytes, below: (limit) => seeded.below(limit), uuid: () => '' }));
  const counts = new Map<string, number>();
  const projects = 100_000;
  for (let made = 0; made < projects; made += 1) {
    const found = shardOfId(newProjectId(new Date(1_800_000_000_000 + made)));
    expect(isShard(found)).toBe(true);
    counts.set(found, (counts.get(found) ?? 0) + 1);
  }
  expect(counts.size).toBe(1_024);
  const expected = projects / 1_024;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // What chance exceeds once in a thousand runs, with 1,023 degrees of freedom.
  expect(chiSquare).toBeLessThan(1_168.5);
});

test('shards are listed one by one or as ranges', () => {
  expect(parseShards('7k')).toEqual(['7k']);
  expect(parseShards('00-zz')).toHaveLength(1_024);
  expect(parseShards('0z-11')).toEqual(['0z', '10', '11']);
  for (const text of ['', '7', '7i', '00-', '00-11-22']) expect(parseShards(text)).toBeNull();
});

test('a new project gets any of the shards of its installation', () => {
  const shards = new Set(['00', '7k', 'zz']);
  expect(new Set(Array.from({ length: 200 }, () => pickShard(shards)))).toEqual(shards);
});

test('a link, a key and a token say the same shard', () => {
  fc.assert(
    fc.property(shard, moment, fc.constantFrom(...owned), (named, now, prefix) => {
      const id = newId(prefix, now, newProjectId(now, named));
      expect(shardOfPath(`/v1/videos/${id}/content?expires=1`)).toBe(named);
      expect(shardOfPath(`/v1/files/${id}`)).toBe(named);
      expect(shardOfCredential(generateApiKey(true, named))).toBe(named);
      expect(shardOfCredential(`kin_token_${named}rest`)).toBe(named);
    }),
  );
});
