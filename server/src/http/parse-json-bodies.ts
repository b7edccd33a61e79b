import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

/** A valid body has a few thousand brackets and commas; parsing 14 MiB of them would take seconds and gigabytes. */
const maximumParts = 20_000;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses bodies as JSON in UTF-8; a few routes accept forms as well. Keys such as __proto__ become plain keys. */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    refuseEncodedBody(request);
    if (body.length === 0) {
      // Many clients send a Content-Type without a body, which is fine for routes that need none.
      if (request.routeOptions.schema?.body === undefined) return undefined;
      throw emptyBody();
    }
    for (const part of ['[', '{', ',']) {
      if (hasMoreThan(body, part, maximumParts)) {
        throw new AppError('payload_too_large', {
          message: `The body has more than ${maximumParts} "${part}" characters. Send fewer values.`,
        });
      }
    }
    try {
      return JSON.parse(utf8.decode(body)) as unknown;
    } catch (cause) {
      throw new AppError('invalid_json', { cause, message: 'The body is not valid JSON in UTF-8.' });
    }
  });
}

/** Refuses compressed bodies, which could have any size once decompressed. */
export function refuseEncodedBody({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', { message: 'Send the body without Content-Encoding.' });
  }
}

export function emptyBody(): AppError {
  return new AppError('invalid_json', { message: 'The body is empty. Send a JSON object.' });
}

function hasMoreThan(body: Buffer, character: string, limit: number): boolean {
  let count = 0;
  for (let at = body.indexOf(character); at !== -1; at = body.indexOf(character, at + 1)) {
    count += 1;
    if (count > limit) return true;
  }
  return false;
}
