import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ErrorCode } from '../../errors.ts';
import { createLog } from '../../telemetry/log.ts';
import { createLongLivedRequests } from './long-lived-requests.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open() {
  const refused = new Map<string, ErrorCode>();
  const queries: (readonly string[])[] = [];
  const longLived = createLongLivedRequests({
    refusedKeys: async (keyIds) => {
      queries.push(keyIds);
      return refused;
    },
    log: createLog({ level: 'silent', roles: [] }),
  });
  const noted: string[] = [];
  const add = (name: string, keyId: string | null = 'key_1', projectId = 'proj_1') => {
    const release = longLived.add({
      owner: { projectId, livemode: true },
      keyId,
      end: (refusal) => {
        noted.push(`${name} ended ${refusal}`);
        release();
      },
      beat: () => void noted.push(`${name} beat`),
    });
    return release;
  };
  return { longLived, add, noted, refused, queries };
}

describe('long-lived requests', () => {
  it('each get a beat every 15 seconds', async () => {
    const { add, noted } = open();
    add('one');
    add('two')();
    add('three', null);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(noted.toSorted()).toEqual(['one beat', 'one beat', 'three beat', 'three beat']);
  });

  it('end within a second after their key is refused; one query checks all keys', async () => {
    const { add, noted, refused, queries } = open();
    for (let index = 0; index < 50; index += 1) add(`a${index}`, 'key_a');
    add('b', 'key_b');
    add('signed', null);
    refused.set('key_b', 'revoked_api_key');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(noted.filter((line) => line.includes('ended'))).toEqual(['b ended revoked_api_key']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(queries).toEqual([['key_a', 'key_b'], ['key_a']]);
  });

  it('are limited per project, and each release makes room for one more', () => {
    const { add } = open();
    const release = add('first');
    for (let index = 1; index < 1_000; index += 1) add(`${index}`);
    expect(() => add('one too many')).toThrow(/1000 open streams/);
    add('of another project', 'key_2', 'proj_2');
    release();
    release();
    add('in its place');
    expect(() => add('one too many')).toThrow(/1000 open streams/);
  });

  it('all end when the server closes, and no new one is accepted', () => {
    const { longLived, add, noted } = open();
    add('one');
    add('two', null);
    longLived.close();
    expect(noted).toEqual(['one ended null', 'two ended null']);
    expect(() => add('late')).toThrow(/cannot take the request/);
  });
});
