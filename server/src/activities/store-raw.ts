import { pipeline, type Readable, Transform } from 'node:stream';
import { maximumRawBytes } from '../domain/raw-output.ts';
import type { Engine, EngineOperation } from '../engines/engine.ts';
import { OutputInvalid } from '../errors.ts';
import type { Storage } from '../storage/storage.ts';
import { failpoint } from '../telemetry/failpoints.ts';

/** The engine did not deliver the output, or not all of it; the storage is not at fault. */
export class FetchFailed extends Error {
  override name = 'FetchFailed';
}

/**
 * Opens an engine's output as a stream that fails if it is too large. Throws OutputInvalid if there certainly is no
 * usable output, FetchFailed if it was not sent this time; `engineError` returns such an error of the stream.
 */
export async function openOutput(
  engine: Engine,
  operation: EngineOperation,
): Promise<{ body: Readable; engineError: () => Error | null }> {
  const output = await engine.fetchOutput(operation).catch((error: unknown) => {
    throw asEngineError(error);
  });
  let engineError: Error | null = null;
  output.once('error', (error) => {
    engineError ??= asEngineError(error); // a failure of the reader ends this stream without an error
  });
  let sizeBytes = 0;
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      failpoint('while-storing-raw');
      sizeBytes += chunk.length;
      if (sizeBytes > maximumRawBytes) engineError ??= new OutputInvalid('the output is too large');
      done(engineError, chunk);
    },
  });
  // Ends the engine's response too if the reader fails, and vice versa.
  return { body: pipeline(output, through, () => undefined), engineError: () => engineError };
}

/** Copies an engine's output into the storage. Throws as `openOutput`, and any other error if the storage did not accept it. */
export async function storeRaw(
  { storage, engine, operation }: { storage: Storage; engine: Engine; operation: EngineOperation },
  key: string,
): Promise<void> {
  const { body, engineError } = await openOutput(engine, operation);
  try {
    await storage.putStream(key, body, { contentType: 'video/mp4', maxBytes: maximumRawBytes });
  } catch (error) {
    throw engineError() ?? error;
  }
}

function asEngineError(error: unknown): Error {
  return error instanceof OutputInvalid
    ? error
    : new FetchFailed('the engine did not send its output', { cause: error });
}
