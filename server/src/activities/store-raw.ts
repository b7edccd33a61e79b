import { pipeline, Transform } from 'node:stream';
import type { Engine, EngineOperation } from '../engines/engine.ts';
import type { Storage } from '../storage/storage.ts';
import { failpoint } from '../telemetry/failpoints.ts';

const maximumRawBytes = 2 * 1024 * 1024 * 1024;

/** Copies an engine's output into the store, then deletes job and files at the engine. */
export async function storeRaw(
  { storage, engine, operation }: { storage: Storage; engine: Engine; operation: EngineOperation },
  key: string,
): Promise<void> {
  const output = await engine.fetchOutput(operation);
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      failpoint('while-storing-raw');
      done(null, chunk);
    },
  });
  // Ends the engine's answer too when the store fails, and the other way round.
  const body = pipeline(output, through, () => undefined);
  await storage.putStream(key, body, { contentType: 'video/mp4', maxBytes: maximumRawBytes });
  await engine.discard(operation).catch(() => undefined); // it forgets by itself after a while
}
