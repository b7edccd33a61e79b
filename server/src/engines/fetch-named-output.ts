import { Readable } from 'node:stream';
import { OutboundRefused, OutputInvalid, type RefusalReason } from '../errors.ts';
import type { GuardedFetcher } from '../outbound/guarded-fetch.ts';
import { createEngineHttp } from './engine-http.ts';

/** Held in memory while it is fetched from a stranger's address. */
const maximumStrangeBytes = 64 * 1024 * 1024;
const strangeMilliseconds = 60_000;
const maximumRedirects = 3;

/** What may be gone at the next try; all other refusals are for good. */
const passingReasons: readonly RefusalReason[] = ['unresolvable', 'timeout', 'connection_failed'];

interface Parts {
  /** Where the operator says that the engine is; null where it has left the configuration. */
  engine: { url: string; token: string | null } | null;
  fetcher: Pick<GuardedFetcher, 'fetch'>;
}

/**
 * The file at an address that an engine named. On its own origin it is asked as the engine, without redirects; anywhere else it is
 * an address like a caller's. Throws OutputInvalid where there certainly is nothing for us.
 */
export async function fetchNamedOutput({ engine, fetcher }: Parts, named: string): Promise<Readable> {
  if (!URL.canParse(named)) throw new OutputInvalid('the engine named an output at no address');
  const { origin, pathname, search } = new URL(named);
  if (engine && new URL(engine.url).origin === origin) {
    const http = createEngineHttp({ url: origin, token: engine.token });
    try {
      const output = await http.download(pathname + search);
      return output.once('close', () => void http.close());
    } catch (error) {
      await http.close();
      throw error;
    }
  }
  return fetchFromStranger(fetcher, named);
}

async function fetchFromStranger(fetcher: Parts['fetcher'], named: string): Promise<Readable> {
  const { status, body } = await fetcher
    .fetch(named, {
      maxBytes: maximumStrangeBytes,
      timeoutMilliseconds: strangeMilliseconds,
      maxRedirects: maximumRedirects,
    })
    .catch((error: unknown) => {
      if (!(error instanceof OutboundRefused) || passingReasons.includes(error.reason)) throw error;
      throw new OutputInvalid(`the output cannot be fetched: ${error.message}`, { cause: error });
    });
  if (status >= 500 || status === 429) throw new Error(`an output was answered with status ${status}`);
  if (status !== 200 || body.length === 0) throw new OutputInvalid(`there is no output where the engine named it`);
  return Readable.from([Buffer.from(body)]);
}
