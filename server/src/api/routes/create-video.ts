import type { FastifyInstance } from 'fastify';
import type { GenerationType } from '../../domain/generation-request.ts';
import type { ErrorCode } from '../../errors.ts';
import type { ApiParts } from '../app.ts';
import { callerOf } from '../authorize.ts';
import { emptyBody } from '../json-body.ts';
import { prefers } from '../prefer.ts';
import { readGenerationRequest } from '../read-generation-request.ts';
import { reference } from '../schemas/common.ts';
import { errorResponses, keyErrors } from '../schemas/error-schema.ts';
import { imageToVideoSchema, textToVideoSchema } from '../schemas/generation-request-schema.ts';
import { taskSchema } from '../schemas/task-schema.ts';
import { answerTask, taskHeaders } from './answer-task.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What is to happen once the answer is out. */
    answered: (() => void) | null;
  }
}

/** 10 MB of image in base64, and the rest of the request. */
const bodyLimitBytes = 14 * 1024 * 1024;

const generalErrors = [
  'invalid_json',
  'missing_parameter',
  'invalid_parameter',
  'unknown_parameter',
  'unknown_model',
  'prompt_too_long',
] as const satisfies readonly ErrorCode[];

const imageErrors = [
  'image_unreachable',
  'image_forbidden_address',
  'image_too_large',
  'image_unsupported_format',
  'image_bad_dimensions',
  'image_undecodable',
] as const satisfies readonly ErrorCode[];

const commonErrors = [
  ...keyErrors,
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'too_many_waiting_tasks',
  'internal_error',
  'overloaded',
] as const satisfies readonly ErrorCode[];

const operations = [
  {
    url: '/v1/videos/text-to-video',
    type: 'text_to_video',
    operationId: 'createTextToVideo',
    summary: 'Generate a video from a text prompt',
    body: textToVideoSchema,
    errors: [...generalErrors, ...commonErrors],
  },
  {
    url: '/v1/videos/image-to-video',
    type: 'image_to_video',
    operationId: 'createImageToVideo',
    summary: 'Generate a video from an image',
    body: imageToVideoSchema,
    errors: [...generalErrors, ...imageErrors, ...commonErrors],
  },
] as const;

type Parts = Pick<ApiParts, 'createTask' | 'allowHttpImages' | 'links' | 'log' | 'clock'>;

/** POST /v1/videos/text-to-video and /v1/videos/image-to-video. */
export function createVideoRoutes(app: FastifyInstance, parts: Parts): void {
  app.decorateRequest('answered', null);
  for (const { url, type, operationId, summary, body, errors } of operations) {
    app.route({
      method: 'POST',
      url,
      bodyLimit: bodyLimitBytes,
      schema: {
        operationId,
        summary,
        description:
          'Creates a task and answers at once; read it under /v1/videos/{task_id} until `is_final`. ' +
          'With `Prefer: handling=strict` unknown fields are refused instead of ignored.',
        tags: ['Videos'],
        security: [{ apiKey: [] }],
        body: reference(body),
        response: {
          200: { ...reference(taskSchema), description: 'The accepted task.', headers: taskHeaders },
          ...errorResponses(errors),
        },
      },
      handler: async (request, reply) => {
        if (request.body === undefined) throw emptyBody();
        const isStrict = prefers(request.headers.prefer, 'handling', 'strict');
        const read = readGenerationRequest(request.body, { type, isStrict, allowHttpImages: parts.allowHttpImages });
        const created = await parts.createTask({
          caller: callerOf(request),
          type: type satisfies GenerationType,
          ...read,
        });
        request.answered = created.answered;
        request.taskId = created.view.task.id;
        if (isStrict) reply.header('preference-applied', 'handling=strict');
        return answerTask(request, reply, created.view, parts);
      },
      // The answer is out before anything else is begun: 200 never waits for Temporal.
      onResponse: async (request) => request.answered?.(),
    });
  }
}
