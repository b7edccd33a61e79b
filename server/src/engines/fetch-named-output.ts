import { Readable } from 'node:stream';
import { OutboundRefused, OutputInvalid, type RefusalReason } from '../errors.ts';
import type { GuardedFetcher } from '../outbound/guarded-fetch.ts';
import { createEngineHttp } from './engine-http.ts';

/** A file from a foreign address is held in memory while it is fetched. */
const maximumForeignBytes = 64 * 1024 * 1024;
const foreignMilliseconds = 60_000;
const maximumRedirects = 3;

/** Reasons that may not apply to the next try; every other refusal is final. */
const temporaryReasons: readonly RefusalReason[] = ['unresolvable', 'timeout', 'connection_failed'];

interface Parts {
  /** The engine as configured by the operator; null if it has left the configuration. */
  engine: { url: string; token: string | null } | null;
  fetcher: Pick<GuardedFetcher, 'fetch'>;
}

/**
 * Fetches the file at a URL that an engine named: below its own with its token and without redirects, any other as
 * carefully as a caller's. Throws OutputInvalid if there certainly is no usable file.
 */
export async function fetchNamedOutput({ engine, fetcher }: Parts, named: string): Promise<Readable> {
  if (!URL.canParse(named)) throw new OutputInvalid('the engine named an output, but not by a URL');
  const { origin, pathname, search } = new URL(named);
  if (engine && isBelow(new URL(engine.url), new URL(named))) {
    const http = createEngineHttp({ url: origin, token: engine.token });
    try {
      const output = await http.download(pathname + search);
      return output.once('close', () => void http.close());
    } catch (error) {
      await http.close();
      throw error;
    }
  }
  return fetchFromForeignAddress(fetcher, named);
}

/** Whether a URL is below the engine's: a gateway may serve several engines on one origin, each at a path of its own. */
function isBelow(engine: URL, named: URL): boolean {
  const base = engine.pathname.replace(/\/*$/, '/');
  return named.origin === engine.origin && named.pathname.startsWith(base);
}

async function fetchFromForeignAddress(fetcher: Parts['fetcher'], named: string): Promise<Readable> {
  const { status, body } = await fetcher
    .fetch(named, {
      maxBytes: maximumForeignBytes,
      timeoutMilliseconds: foreignMilliseconds,
      maxRedirects: maximumRedirects,
    })
    .catch((error: unknown) => {
      if (!(error instanceof OutboundRefused) || temporaryReasons.includes(error.reason)) throw error;
      throw new OutputInvalid(`the output cannot be fetched: ${error.message}`, { cause: error });
    });
  if (status >= 500 || status === 429) throw new Error(`fetching an output failed with status ${status}`);
  if (status !== 200 || body.length === 0)
    throw new OutputInvalid('there is no output at the URL that the engine named');
  return Readable.from([Buffer.from(body)]);
}
