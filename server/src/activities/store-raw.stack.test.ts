import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { OutputInvalid } from '../errors.ts';
import { unreachableStorage, useTestStorage } from '../storage/storage.fixture.ts';
import { createScriptedEngine } from './scripted-engine.fixture.ts';
import { FetchFailed, storeRaw } from './store-raw.ts';

const store = useTestStorage();

const operation = { jobId: 'a job' };

function engineWith(fetchOutput: () => Promise<Readable>) {
  return { ...createScriptedEngine(), fetchOutput };
}

/** Returns an output that breaks off after its first bytes. */
function brokenOutput(error: Error): Readable {
  const output = new PassThrough();
  output.write('the beginning');
  setImmediate(() => output.destroy(error));
  return output;
}

describe('storing the output of a job', () => {
  it('copies it into the storage', async () => {
    const engine = engineWith(async () => Readable.from([Buffer.from('a video')]));
    await storeRaw({ storage: store.storage, engine, operation }, 'day/task/raw-1');
    expect(await store.storage.head('day/task/raw-1')).toEqual({ sizeBytes: 7 });
  });

  it.each([
    ['certainly has no output', () => Promise.reject(new OutputInvalid('none')), OutputInvalid],
    ['breaks off an unusable output', async () => brokenOutput(new OutputInvalid('too large')), OutputInvalid],
    ['does not respond', () => Promise.reject(new Error('it does not respond')), FetchFailed],
    ['sends only the beginning', async () => brokenOutput(new Error('connection reset')), FetchFailed],
  ])('throws the matching error if the engine %s, and leaves no object behind', async (_, fetchOutput, expected) => {
    const storing = storeRaw({ storage: store.storage, engine: engineWith(fetchOutput), operation }, 'day/task/raw-2');
    await expect(storing).rejects.toBeInstanceOf(expected);
    expect(await store.storage.head('day/task/raw-2')).toBeNull();
  });

  it('does not blame the engine if the storage is unreachable', async () => {
    const away = unreachableStorage();
    const output = Readable.from([Buffer.from('a video')]);
    const error = await storeRaw({ storage: away, engine: engineWith(async () => output), operation }, 'key').catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(FetchFailed);
    expect(error).not.toBeInstanceOf(OutputInvalid);
    expect(output.destroyed).toBe(true);
    away.close();
  });
});
