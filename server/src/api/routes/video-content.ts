import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { AppError } from '../../errors.ts';
import { errorResponses, keyErrors } from '../../http/error-responses.ts';
import { queryReader } from '../../http/query-reader.ts';
import { requestFields } from '../../http/request-id.ts';
import type { FileVariant, ReadableFile } from '../../operations/tasks/read-file.ts';
import type { ApiParts } from '../api-parts.ts';
import { isSigned } from '../hooks/authorize-requests.ts';
import { contentPath } from '../presenters/task-links.ts';
import { callerOf } from '../requests/caller-of.ts';
import { isUnchanged } from '../requests/is-unchanged.ts';
import { readRange } from '../requests/read-range.ts';
import { contentHeaders } from '../schemas/request-headers.ts';
import { acceptRangesHeader, etagHeader, fileHeaders, rangeHeader } from '../schemas/response-headers.ts';
import { taskIdParameter } from '../schemas/task-id-parameter.ts';
import type { DownloadLimit } from '../streams/download-limit.ts';

const fileVariants = ['video', 'thumbnail', 'spritesheet'] as const satisfies readonly FileVariant[];

const query = Type.Object({
  variant: Type.Optional(
    Type.Enum(fileVariants, { type: 'string', default: 'video', description: 'The file to download.' }),
  ),
  expires: Type.Optional(Type.String({ description: 'Part of a signed URL: when it stops working. Unix seconds.' })),
  signature: Type.Optional(Type.String({ description: 'Part of a signed URL: replaces the API key.' })),
});
const readVariant = queryReader(Type.Pick(query, ['variant']));

/** Pages of any origin may show and fetch a signed URL: having the URL is the permission. */
const sharingHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'accept-ranges, content-length, content-range, etag, x-request-id',
  'cross-origin-resource-policy': 'cross-origin',
};

const bytes = { schema: { type: 'string', format: 'binary' } };
const content = { 'video/mp4': bytes, 'image/jpeg': bytes };

const errors = errorResponses([
  'invalid_parameter',
  ...keyErrors,
  'signature_invalid',
  'task_not_found',
  'not_found',
  'video_expired',
  'task_deleted',
  'range_not_satisfiable',
]);

type Parts = Pick<ApiParts, 'readFile' | 'signer' | 'log'> & { downloads: DownloadLimit };
type Target = { Params: Static<typeof taskIdParameter>; Querystring: Static<typeof query> };

/** GET /v1/videos/{task_id}/content: sends a file to a caller with a key of the project or a signed URL. */
export function videoContentRoute(app: FastifyInstance, { readFile, signer, log, downloads }: Parts): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();

  /** Returns the variant that the URL was signed for; throws if the signature is not valid. */
  function verify(request: FastifyRequest<Target>, reply: FastifyReply): FileVariant {
    const { variant, expires, signature } = request.query;
    // Set even if the signature has expired, so that a page can read the error.
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
        'The URLs in a task lead here; they are signed and need no key. With a key you can download the files of any ' +
        'task of the project. A task that has not completed has no files and gets 404 `not_found`.',
      tags: ['Videos'],
      params: taskIdParameter,
      querystring: query,
      headers: contentHeaders,
      response: {
        200: { description: 'The whole file.', content, headers: fileHeaders },
        206: { description: 'The requested part of the file.', content, headers: { ...fileHeaders, ...rangeHeader } },
        304: {
          type: 'null',
          description: 'The file is the one that `If-None-Match` names.',
          headers: { ...etagHeader, ...acceptRangesHeader },
        },
        ...errors,
        416: { ...errors[416], headers: { ...rangeHeader, ...acceptRangesHeader } },
      },
    },
    handler: sendContent,
  });

  // Fastify's own HEAD would fetch the whole file only to discard it.
  routes.route<Target>({
    method: 'HEAD',
    url: '/v1/videos/:task_id/content',
    schema: { hide: true, querystring: query },
    handler: sendContent,
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

  async function sendContent(request: FastifyRequest<Target>, reply: FastifyReply) {
    const { task_id: taskId } = request.params;
    const caller = isSigned(request) ? null : callerOf(request);
    const variant = caller ? (readVariant(request.query).variant ?? 'video') : verify(request, reply);
    const access = caller ? 'key' : 'signature';
    downloads.request(reply, access, taskId);
    const file = await readFile(taskId, variant, caller, (owner) => downloads.begin(reply, access, owner));
    return sendFile(request, reply, file, fileName(taskId, variant, file));
  }

  async function sendFile(request: FastifyRequest<Target>, reply: FastifyReply, file: ReadableFile, name: string) {
    const etag = `"${hashOf(file)}"`;
    // With a key, caches must revalidate each time, so that they do not serve deleted files.
    const cacheControl = isSigned(request) ? 'private, max-age=3600' : 'private, no-cache';
    reply.headers({ etag, 'accept-ranges': 'bytes', 'cache-control': cacheControl });
    if (isUnchanged(request.headers['if-none-match'], etag)) return reply.code(304).send();

    const range = request.method === 'GET' ? rangeOf(request, file.sizeBytes, etag) : null;
    if (range === 'unsatisfiable') {
      reply.header('content-range', `bytes */${file.sizeBytes}`);
      throw new AppError('range_not_satisfiable', {
        message: `The requested range is outside the file, which has ${file.sizeBytes} bytes.`,
      });
    }
    const length = range ? range.end - range.start + 1 : file.sizeBytes;
    const body = request.method === 'HEAD' ? null : await file.open(range ?? undefined);
    reply.headers({
      'content-type': file.contentType,
      'content-length': String(length),
      'content-disposition': `inline; filename="${name}"`,
    });
    if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.sizeBytes}`);
    // The headers are sent by then, so the connection can only be closed, which Fastify does.
    body?.on('error', (error) => {
      request.bodyError = error;
      log.warn(
        { event: 'download.failed', err: error, ...requestFields(request), taskId: request.taskId },
        'download ended early',
      );
    });
    return reply.send(body);
  }
}

/** Returns the requested range, or null for the whole file. If-Range with another tag requests the whole file. */
function rangeOf(request: FastifyRequest, sizeBytes: number, etag: string) {
  const ifRange = request.headers['if-range'];
  if (ifRange !== undefined && ifRange !== etag) return null;
  return readRange(request.headers.range, sizeBytes);
}

/** Returns the hash in the object's key. Objects are named after their content, so it is a strong ETag. */
function hashOf({ objectKey }: ReadableFile): string {
  return objectKey.slice(objectKey.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
}

function fileName(taskId: string, variant: FileVariant, { objectKey }: ReadableFile): string {
  const extension = objectKey.slice(objectKey.lastIndexOf('.'));
  return variant === 'video' ? `${taskId}${extension}` : `${taskId}-${variant}${extension}`;
}
