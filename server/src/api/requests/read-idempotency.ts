import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { GenerationRequest, GenerationType } from '../../domain/generation-request.ts';
import { AppError } from '../../errors.ts';
import { isFileId } from '../../operations/files/find-file.ts';
import type { IdempotentRequest } from '../../operations/tasks/idempotency.ts';
import { callerOf } from './caller-of.ts';

/** Returns the Idempotency-Key of a create and a hash of its request, or null without a key. */
export function readIdempotency(
  request: FastifyRequest,
  requested: { type: GenerationType; request: GenerationRequest },
): IdempotentRequest | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    const message = 'Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces';
    throw new AppError('invalid_parameter', {
      param: 'Idempotency-Key',
      message,
      details: [{ param: 'Idempotency-Key', code: 'malformed', message }],
    });
  }
  const { projectId, livemode } = callerOf(request);
  const scope = { projectId, livemode, route: `POST ${request.routeOptions.url ?? ''}`, key };
  const { imageUrl, ...rest } = requested.request;
  const hashes = {
    requestSha256: sha256(canonicalJson({ ...requested, request: rest })),
    imageSha256: imageUrl === null ? null : sha256(imageUrl),
  };
  return { scope, hashes, fileId: imageUrl !== null && isFileId(imageUrl) ? imageUrl : null };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The same text for the same fields in any order. Null counts as absent, so a new field changes no stored hash. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== null && field !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`);
  return `{${fields.join(',')}}`;
}
