import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clockAt } from '../../domain/clock.fixture.ts';
import type { ErrorCode } from '../../errors.ts';
import { createLog } from '../../telemetry/log.ts';
import { createLongLivedRequests } from './long-lived-requests.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open() {
  const refused = new Map<string, ErrorCode>();
  const suspended = new Set<string>();
  const queries: (readonly string[])[] = [];
  const longLived = createLongLivedRequests({
    suspendedProjects: async (projectIds) => {
      queries.push(projectIds);
      return suspended;
    },
    clock: clockAt(() => new Date()),
    refusedKeys: async (users) => {
      const names = users.map(({ keyId, sessionId }) => sessionId ?? keyId);
      queries.push(names);
      return names.map((name) => refused.get(name) ?? null);
    },
    log: createLog({ level: 'silent', roles: [] }),
  });
  const noted: string[] = [];
  const add = (
    name: string,
    keyId: string | null = 'key_1',
    projectId = 'proj_1',
    {
      taskId = 'task_1',
      signedSeconds = 3600,
      sessionId = null as string | null,
      tokenSeconds = null as number | null,
    } = {},
  ) => {
    const until = new Date(Date.now() + signedSeconds * 1000);
    const release = longLived.add({
      owner: { projectId, livemode: true },
      access:
        keyId === null
          ? { signedTaskId: taskId, until }
          : { keyId, sessionId, until: tokenSeconds === null ? null : new Date(Date.now() + tokenSeconds * 1000) },
      end: (refusal) => {
        noted.push(`${name} ended ${refusal}`);
        release();
      },
      beat: () => void noted.push(`${name} beat`),
    });
    return release;
  };
  return { longLived, add, noted, refused, suspended, queries };
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
    refused.set('key_b', 'revoked_api_key');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(noted.filter((line) => line.includes('ended'))).toEqual(['b ended revoked_api_key']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(queries).toEqual([['key_a', 'key_b'], ['key_a']]);
  });

  it('end within a second after their session is refused, and other sessions of the same key go on', async () => {
    const { add, noted, refused, queries } = open();
    add('one', 'key_a', 'proj_1', { sessionId: 'sess_1' });
    add('two', 'key_a', 'proj_1', { sessionId: 'sess_2' });
    refused.set('sess_2', 'revoked_api_key');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(noted.filter((line) => line.includes('ended'))).toEqual(['two ended revoked_api_key']);
    expect(queries).toEqual([['sess_1', 'sess_2']]);
  });

  it('end within a second after their token expires', async () => {
    const { add, noted } = open();
    add('token', 'key_a', 'proj_1', { tokenSeconds: 5.5 });
    add('key', 'key_a');
    await vi.advanceTimersByTimeAsync(6_000);
    expect(noted.filter((line) => line.includes('ended'))).toEqual(['token ended expired_api_key']);
  });

  it('end within a second after the signature of their URL expires, and get no beat after that', async () => {
    const { add, noted } = open();
    add('short', null, 'proj_1', { signedSeconds: 14.5 });
    add('long', null);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(noted).toEqual(['short beat', 'long beat', 'short ended signature_invalid']);
  });

  it('with a signed URL end within a second after their project is suspended; one query checks all projects', async () => {
    const { add, noted, suspended, queries } = open();
    for (let index = 0; index < 50; index += 1) add(`a${index}`, null, 'proj_a', { taskId: `task_${index}` });
    add('b', null, 'proj_b');
    suspended.add('proj_b');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(noted.filter((line) => line.includes('ended'))).toEqual(['b ended project_suspended']);
    expect(queries).toEqual([['proj_a', 'proj_b']]);
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

  it('by signed URL are limited per task and per project, and never take the places of those with a key', () => {
    const { add } = open();
    const addSigned = (task: string) => add('signed', null, 'proj_1', { taskId: task });
    const release = addSigned('task_0');
    for (let index = 1; index < 20; index += 1) addSigned('task_0');
    expect(() => addSigned('task_0')).toThrow('This task has reached the limit of 20 open streams by signed URL');
    for (let index = 20; index < 500; index += 1) addSigned(`task_${Math.floor(index / 20)}`);
    expect(() => addSigned('another task')).toThrow(
      'The project has reached the limit of 500 open streams by signed URL',
    );
    for (let index = 0; index < 1_000; index += 1) add(`${index}`);
    expect(() => add('one too many')).toThrow(/1000 open streams/);
    release();
    addSigned('task_0');
    expect(() => addSigned('task_0')).toThrow('This task has reached the limit of 20 open streams by signed URL');
    add('signed for another project', null, 'proj_2', { taskId: 'task_of_proj_2' });
  });

  it('by signed URL cannot fill the process for those with a key', () => {
    const { add } = open();
    const addSigned = (index: number) =>
      add('', null, `proj_${Math.floor(index / 500)}`, { taskId: `${Math.floor(index / 20)}` });
    for (let index = 0; index < 6_000; index += 1) addSigned(index);
    expect(() => addSigned(6_000)).toThrow(/temporarily unavailable/);
    for (let index = 0; index < 10_000; index += 1) add('', 'key_1', `proj_${Math.floor(index / 1_000)}`);
    expect(() => add('', 'key_1', 'another project')).toThrow(/temporarily unavailable/);
  });

  it('all end when the server closes, and no new one is accepted', () => {
    const { longLived, add, noted } = open();
    add('one');
    add('two', null);
    longLived.close();
    expect(noted).toEqual(['one ended null', 'two ended null']);
    expect(() => add('late')).toThrow(/temporarily unavailable/);
  });
});
