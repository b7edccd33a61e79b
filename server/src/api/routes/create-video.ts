import type { FastifyInstance } from 'fastify';
import type { ErrorCode } from '../../errors.ts';
import { errorResponses, keyErrors } from '../../http/error-responses.ts';
import { reference } from '../../http/schema-parts.ts';
import { readGenerationRequest } from '../requests/read-generation-request.ts';
import { imageToVideoSchema, textToVideoSchema } from '../schemas/generation-request-schema.ts';
import { createHeaders } from '../schemas/request-headers.ts';
import { createdHeaders } from '../schemas/response-headers.ts';
import { taskSchema } from '../schemas/task-schema.ts';
import { type CreateParts, createTaskHandler } from './create-task-handler.ts';

/** Enough for an image of 10 MB in base64 and the rest of the request. */
const createLimitBytes = 14 * 1024 * 1024;

/** Options of every route that takes an image inside its body. */
export const createBody = {
  bodyLimit: createLimitBytes,
  config: { largeBodyHint: ' Upload a large image with POST /v1/files, and send its id as image_url.' },
};

export const generalErrors = [
  'invalid_json',
  'missing_parameter',
  'invalid_parameter',
  'unknown_parameter',
  'unknown_model',
  'unsupported_combination',
  'prompt_too_long',
] as const satisfies readonly ErrorCode[];

export const imageErrors = [
  'image_unreachable',
  'image_forbidden_address',
  'image_too_large',
  'image_unsupported_format',
  'image_bad_dimensions',
  'image_undecodable',
] as const satisfies readonly ErrorCode[];

export const commonErrors = [
  ...keyErrors,
  'payload_too_large',
  'unsupported_media_type',
  'task_deleted',
  'idempotency_in_progress',
  'idempotency_key_reused',
  'too_many_waiting_tasks',
  'storage_limit_reached',
  'no_engine_available',
] as const satisfies readonly ErrorCode[];

const operations = [
  {
    url: '/v1/videos/text-to-video',
    type: 'text_to_video',
    operationId: 'createTextToVideo',
    summary: 'Create a video from text',
    body: textToVideoSchema,
    errors: [...generalErrors, ...commonErrors],
  },
  {
    url: '/v1/videos/image-to-video',
    type: 'image_to_video',
    operationId: 'createImageToVideo',
    summary: 'Create a video from an image',
    body: imageToVideoSchema,
    errors: [...generalErrors, ...imageErrors, ...commonErrors],
  },
] as const;

/** POST /v1/videos/text-to-video and /v1/videos/image-to-video. */
export function createVideoRoutes(app: FastifyInstance, parts: CreateParts): void {
  app.decorateRequest('onSent', null);
  for (const { url, type, operationId, summary, body, errors } of operations) {
    app.route({
      method: 'POST',
      url,
      ...createBody,
      schema: {
        operationId,
        summary,
        description:
          'Creates a task and returns it at once. Then read `GET /v1/videos/{task_id}` until `is_final` is true, or ' +
          'send `Prefer: wait=60` to get the finished task in this response. Send an `Idempotency-Key` so that a ' +
          'repeated request does not create a second task.',
        tags: ['Videos'],
        headers: createHeaders,
        body: reference(body),
        response: {
          200: {
            ...reference(taskSchema),
            description: 'The accepted task.',
            headers: createdHeaders,
          },
          ...errorResponses(errors),
        },
      },
      handler: createTaskHandler(parts, (given, options) => ({
        type,
        ...readGenerationRequest(given, { ...options, type }),
      })),
      // The response is sent before anything else begins: 200 never waits for Temporal.
      onResponse: async (request) => request.onSent?.(),
    });
  }
}
