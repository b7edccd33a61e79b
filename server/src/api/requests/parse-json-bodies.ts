import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';

/** A body within all limits has a few thousand of each; 14 MiB of brackets would cost seconds and gigabytes to parse. */
const maximumParts = 20_000;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The parser of bodies, but for the few routes that take forms: JSON in UTF-8. Keys such as __proto__ come out as plain keys. */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    refuseEncodedBody(request);
    if (body.length === 0) {
      // Many clients name the type of a body that they do not send; where none is wanted, none is missed.
      if (request.routeOptions.schema?.body === undefined) return undefined;
      throw emptyBody();
    }
    for (const part of ['[', '{', ',']) {
      if (hasMoreThan(body, part, maximumParts)) {
        throw new AppError('payload_too_large', { message: 'The body has too many parts.' });
      }
    }
    try {
      return JSON.parse(utf8.decode(body)) as unknown;
    } catch (cause) {
      throw new AppError('invalid_json', { cause, message: 'The body is not valid JSON in UTF-8.' });
    }
  });
}

/** What is compressed could be of any size once it is not. */
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
