import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Catalogue } from '../../domain/catalogue.ts';
import type { CreateTaskInput } from '../../operations/tasks/create-task.ts';
import type { ApiParts } from '../api-parts.ts';
import { callerOf } from '../requests/caller-of.ts';
import { emptyBody } from '../requests/parse-json-bodies.ts';
import { notePreference, prefers } from '../requests/prefer.ts';
import { readIdempotency } from '../requests/read-idempotency.ts';
import { noteCreated } from './answer-created.ts';
import { answerCreate, type WaitingParts } from './answer-waited.ts';

export type CreateParts = Pick<
  ApiParts,
  'createTask' | 'catalogue' | 'allowHttpImages' | 'refusalOfUrl' | 'promptWarning'
> &
  WaitingParts;

/** How a body is to be read, whatever its shape. */
export interface ReadOptions {
  catalogue: Catalogue;
  isStrict: boolean;
  allowHttpImages: boolean;
  refusalOfUrl: ApiParts['refusalOfUrl'];
  livemode: boolean;
  promptWarning: ApiParts['promptWarning'];
}

type ReadRequest = Pick<CreateTaskInput, 'type' | 'request' | 'warnings' | 'upload'>;

/** What every create does with a request, once `read` has said what it asks for. */
export async function createAndAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: CreateParts,
  read: (body: unknown, options: ReadOptions) => ReadRequest,
): Promise<FastifyReply> {
  if (request.body === undefined) throw emptyBody();
  const caller = callerOf(request);
  const isStrict = prefers(request.headers.prefer, 'handling', 'strict');
  const { allowHttpImages, refusalOfUrl, promptWarning } = parts;
  const { livemode } = caller;
  const catalogue = parts.catalogue();
  const asked = read(request.body, { catalogue, isStrict, allowHttpImages, refusalOfUrl, livemode, promptWarning });
  const idempotency = readIdempotency(request, { type: asked.type, request: asked.request });
  const created = await parts.createTask({ caller, ...asked, idempotency });
  noteCreated(request, reply, created, parts);
  if (isStrict) notePreference(reply, 'handling=strict');
  return answerCreate(request, reply, created, parts);
}
