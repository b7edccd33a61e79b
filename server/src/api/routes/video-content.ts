import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { AppError } from '../../errors.ts';
import type { FileVariant, ReadableFile } from '../../operations/tasks/read-file.ts';
import type { ApiParts } from '../api-parts.ts';
import { isSigned } from '../hooks/authorize-requests.ts';
import { errorResponses, keyErrors } from '../presenters/error-responses.ts';
import { contentPath } from '../presenters/task-links.ts';
import { callerOf } from '../requests/caller-of.ts';
import { isUnchanged } from '../requests/is-unchanged.ts';
import { queryReader } from '../requests/query-reader.ts';
import { readRange } from '../requests/read-range.ts';
import { taskIdParameter } from '../schemas/task-id-parameter.ts';

const fileVariants = ['video', 'thumbnail', 'spritesheet'] as const satisfies readonly FileVariant[];

const query = Type.Object({
  variant: Type.Optional(Type.Enum(fileVariants, { type: 'string', default: 'video', description: 'Which file.' })),
  expires: Type.Optional(Type.String({ description: 'Of a signed URL: until when it works. Unix seconds.' })),
  signature: Type.Optional(Type.String({ description: 'Of a signed URL; with it no key is needed.' })),
});
const readVariant = queryReader(Type.Pick(query, ['variant']));

/** Any page may show and fetch what a signed URL opens: whoever has the URL has the permission. */
const sharingHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'accept-ranges, content-length, content-range, etag, x-request-id',
  'cross-origin-resource-policy': 'cross-origin',
};

const bytes = { schema: { type: 'string', format: 'binary' } };
const content = { 'video/mp4': bytes, 'image/jpeg': bytes };

type Parts = Pick<ApiParts, 'readFile' | 'signer' | 'log'>;
type Target = { Params: Static<typeof taskIdParameter>; Querystring: Static<typeof query> };

/** GET /v1/videos/{task_id}/content: the bytes, for whoever holds a key of the project or a signed URL. */
export function videoContentRoute(app: FastifyInstance, { readFile, signer, log }: Parts): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();

  /** The file that a signed URL names; throws for any other URL. */
  function verify(request: FastifyRequest<Target>, reply: FastifyReply): FileVariant {
    const { variant, expires, signature } = request.query;
    // Also where the signature has expired: a page should be able to read why.
    if (signature !== undefined) reply.headers(sharingHeaders);
    const known = fileVariants.find((name) => name === variant);
    const isGenuine =
      known !== undefined &&
      typeof expires === 'string' &&
      typeof signature === 'string' &&
      signer.verify(contentPath(request.params.task_id), { variant: known, expires, signature });
    if (!isGenuine) throw new AppError('signature_invalid');
    return known;
  }

  routes.route<Target>({
    method: 'GET',
    url: '/v1/videos/:task_id/content',
    exposeHeadRoute: false,
    schema: {
      operationId: 'getVideoContent',
      summary: 'Download a video, thumbnail or spritesheet',
      description:
        'The URLs in a task lead here: they are signed and need no header. With a key the same works for any task of its ' +
        'project. Takes Range, If-Range and If-None-Match. A task that is not completed has no files: 404 `not_found` says so.',
      tags: ['Videos'],
      params: taskIdParameter,
      querystring: query,
      response: {
        200: { description: 'The file.', content },
        206: { description: 'The part of it that Range asked for.', content },
        304: { type: 'null', description: 'The caller has it already.' },
        ...errorResponses([
          'invalid_parameter',
          ...keyErrors,
          'signature_invalid',
          'task_not_found',
          'not_found',
          'video_expired',
          'task_deleted',
          'range_not_satisfiable',
        ]),
      },
    },
    handler: answer,
  });

  // Fastify's own HEAD would fetch the whole file to throw it away.
  routes.route<Target>({
    method: 'HEAD',
    url: '/v1/videos/:task_id/content',
    schema: { hide: true },
    handler: answer,
  });

  routes.route<Target>({
    method: 'OPTIONS',
    url: '/v1/videos/:task_id/content',
    schema: { hide: true },
    handler: async (request, reply) => {
      verify(request, reply);
      return reply
        .code(204)
        .headers({
          'access-control-allow-methods': 'GET, HEAD',
          'access-control-allow-headers': 'range, if-range, if-none-match',
          'access-control-max-age': '3600',
        })
        .send();
    },
  });

  async function answer(request: FastifyRequest<Target>, reply: FastifyReply) {
    const { task_id: taskId } = request.params;
    const caller = isSigned(request) ? null : callerOf(request);
    const variant = caller ? (readVariant(request.query).variant ?? 'video') : verify(request, reply);
    const file = await readFile(taskId, variant, caller);
    return sendFile(request, reply, file, fileName(taskId, variant, file));
  }

  async function sendFile(request: FastifyRequest<Target>, reply: FastifyReply, file: ReadableFile, name: string) {
    const etag = `"${hashOf(file)}"`;
    // With a key the service is asked each time, so that what was deleted is not shown out of a cache.
    const cacheControl = isSigned(request) ? 'private, max-age=3600' : 'private, no-cache';
    reply.headers({ etag, 'accept-ranges': 'bytes', 'cache-control': cacheControl });
    if (isUnchanged(request.headers['if-none-match'], etag)) return reply.code(304).send();

    const range = request.method === 'GET' ? rangeOf(request, file.sizeBytes, etag) : null;
    if (range === 'unsatisfiable') {
      reply.header('content-range', `bytes */${file.sizeBytes}`);
      throw new AppError('range_not_satisfiable');
    }
    const length = range ? range.end - range.start + 1 : file.sizeBytes;
    const body = request.method === 'HEAD' ? null : await file.open(range ?? undefined);
    reply.headers({
      'content-type': file.contentType,
      'content-length': String(length),
      'content-disposition': `inline; filename="${name}"`,
    });
    if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.sizeBytes}`);
    // The head of the answer is out by then: all that is left is to end the connection, which Fastify does.
    body?.on('error', (error) => {
      request.bodyError = error;
      log.warn(
        { event: 'download.failed', err: error, requestId: request.id, taskId: request.taskId },
        'download ended early',
      );
    });
    return reply.send(body);
  }
}

/** If-Range asks for the part only if the file is still the same one; it always is here, unless the tag is foreign. */
function rangeOf(request: FastifyRequest, sizeBytes: number, etag: string) {
  const ifRange = request.headers['if-range'];
  if (ifRange !== undefined && ifRange !== etag) return null;
  return readRange(request.headers.range, sizeBytes);
}

/** Objects are named after their content, so the name is the strongest tag there is. */
function hashOf({ objectKey }: ReadableFile): string {
  return objectKey.slice(objectKey.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
}

function fileName(taskId: string, variant: FileVariant, { objectKey }: ReadableFile): string {
  const extension = objectKey.slice(objectKey.lastIndexOf('.'));
  return variant === 'video' ? `${taskId}${extension}` : `${taskId}-${variant}${extension}`;
}
