import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { requestLimits } from '../../domain/generation-request.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import { erasureErrors, errorResponses, keyErrors, parseErrors } from '../../http/error-responses.ts';
import { refuseFor } from '../../http/problems.ts';
import { reference } from '../../http/schema-parts.ts';
import { nameForPeople } from '../../http/unknown-fields.ts';
import { refuseFullUploads } from '../../operations/files/refuse-full-storage.ts';
import type { ApiParts } from '../api-parts.ts';
import { presentFile } from '../presenters/present-file.ts';
import { callerOf } from '../requests/caller-of.ts';
import { MultipartForm } from '../requests/parse-multipart-bodies.ts';
import { deletedFileSchema, fileIdParameter, fileSchema, uploadSchema } from '../schemas/file-schema.ts';

/** Enough for an image of 20 MB and the form around it. */
const bodyLimitBytes = 20 * 1024 * 1024;

const uploadErrors = [
  ...keyErrors,
  'malformed_request',
  'missing_parameter',
  'invalid_parameter',
  'image_too_large',
  'image_unsupported_format',
  'image_bad_dimensions',
  'image_undecodable',
  'payload_too_large',
  'unsupported_media_type',
  'storage_limit_reached',
] as const satisfies readonly ErrorCode[];

const readErrors = [...keyErrors, 'not_found'] as const;

/** POST /v1/files, and GET and DELETE /v1/files/{file_id}. Must be registered where multipart bodies are accepted. */
export function fileRoutes(app: FastifyInstance, parts: Pick<ApiParts, 'files'>): void {
  uploadRoute(app, parts);
  findRoute(app, parts);
  deleteRoute(app, parts);
}

function uploadRoute(app: FastifyInstance, { files }: Pick<ApiParts, 'files'>): void {
  app.route({
    method: 'POST',
    url: '/v1/files',
    bodyLimit: bodyLimitBytes,
    config: { largeBodyHint: ` An image must be at most ${requestLimits.imageMegabytes.storedOrFetched} MB.` },
    schema: {
      operationId: 'uploadFile',
      summary: 'Upload an image',
      description:
        'Checks, normalises and stores an image for 24 hours. Send its id as `image_url` in any number of creates; ' +
        'each task keeps its own copy. Fields other than `file` are ignored. Stored files count against the limits ' +
        'that `GET /v1/limits` shows.',
      tags: ['Files'],
      consumes: ['multipart/form-data'],
      body: reference(uploadSchema),
      response: {
        200: { ...reference(fileSchema), description: 'The image as it is stored.' },
        ...errorResponses(uploadErrors),
      },
    },
    // Before the body is read: an upload that cannot be stored costs neither memory nor a decoder.
    onRequest: async (request) => refuseFullUploads(callerOf(request).limits.storage, 0),
    handler: async (request, reply) => {
      const upload = uploadOf(request.body);
      return reply.send(presentFile(await files.upload(callerOf(request), upload)));
    },
  });
}

function findRoute(app: FastifyInstance, { files }: Pick<ApiParts, 'files'>): void {
  app.withTypeProvider<TypeBoxTypeProvider>().route({
    method: 'GET',
    url: '/v1/files/:file_id',
    schema: {
      operationId: 'getFile',
      summary: 'Get an uploaded file',
      description: 'Returns the data of the file, not its bytes. After `expires_at` the file is not found.',
      tags: ['Files'],
      params: fileIdParameter,
      response: {
        200: { ...reference(fileSchema), description: 'The file.' },
        ...errorResponses(readErrors),
      },
    },
    handler: async (request, reply) =>
      reply.send(presentFile(await files.find(callerOf(request), request.params.file_id))),
  });
}

function deleteRoute(app: FastifyInstance, { files }: Pick<ApiParts, 'files'>): void {
  app.withTypeProvider<TypeBoxTypeProvider>().route({
    method: 'DELETE',
    url: '/v1/files/:file_id',
    schema: {
      operationId: 'deleteFile',
      summary: 'Delete an uploaded file',
      description:
        'Deletes the file before it expires. Tasks that use it have their own copies and are not affected. ' +
        'Deleting it again has the same response. A suspended project can still delete its files.',
      tags: ['Files'],
      params: fileIdParameter,
      response: {
        200: { ...reference(deletedFileSchema), description: 'The file is deleted.' },
        ...errorResponses([...erasureErrors, 'sign_in_again', 'not_found', ...parseErrors]),
      },
    },
    handler: async (request, reply) => {
      const id = request.params.file_id;
      await files.delete(callerOf(request), id);
      return reply.send({ id, object: 'file.deleted', deleted: true });
    },
  });
}

function uploadOf(body: unknown): { name: string | null; bytes: Uint8Array } {
  if (!(body instanceof MultipartForm)) {
    throw new AppError('unsupported_media_type', {
      message: 'Send the image as multipart/form-data, in a part named file.',
    });
  }
  const [part, ...others] = body.parts.filter(({ name }) => name === 'file');
  const message = part ? 'file must be sent once' : 'file is required: send the image in a part of this name';
  if (!part) throw refuseFor([{ error: 'missing_parameter', param: 'file', code: 'missing', message }]);
  if (others.length > 0) throw refuseFor([{ error: 'invalid_parameter', param: 'file', code: 'too_many', message }]);
  return { name: part.filename === null ? null : storableName(part.filename), bytes: part.bytes };
}

/** Removes the folders that some clients send with the name. */
function storableName(filename: string): string {
  return nameForPeople(filename.split(/[\\/]/).at(-1) ?? '');
}
