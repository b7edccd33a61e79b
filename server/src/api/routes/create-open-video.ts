import type { FastifyInstance } from 'fastify';
import { errorResponses } from '../presenters/error-responses.ts';
import { readOpenRequest, withOpenParam } from '../requests/read-open-request.ts';
import { createHeaders, replayHeaders } from '../schemas/create-headers.ts';
import { openVideoFormSchema, openVideoSchema } from '../schemas/open-video-schema.ts';
import { reference } from '../schemas/schema-parts.ts';
import { taskSchema } from '../schemas/task-schema.ts';
import { type CreateParts, createTaskHandler } from './create-task-handler.ts';
import { commonErrors, createLimitBytes, generalErrors, imageErrors } from './create-video.ts';
import { taskHeaders } from './send-task.ts';

/** POST /v1/videos, in the shape that inference servers and SDKs share. To be registered where multipart bodies are taken. */
export function createOpenVideoRoute(app: FastifyInstance, parts: CreateParts): void {
  const createTask = createTaskHandler(parts, readOpenRequest);
  app.route({
    method: 'POST',
    url: '/v1/videos',
    bodyLimit: createLimitBytes,
    schema: {
      operationId: 'createVideo',
      summary: 'Generate a video from text or an image, in the open shape',
      description:
        'Takes what clients of the open `/v1/videos` shape send, as JSON or as a form; an `input_reference` makes it ' +
        'image to video. The task is the same as of the other creates, and so are its headers and errors.',
      tags: ['Videos'],
      headers: createHeaders,
      consumes: ['application/json', 'multipart/form-data'],
      body: {
        content: {
          'application/json': { schema: reference(openVideoSchema) },
          'multipart/form-data': { schema: reference(openVideoFormSchema) },
        },
      },
      response: {
        200: {
          ...reference(taskSchema),
          description: 'The accepted task.',
          headers: { ...taskHeaders, ...replayHeaders },
        },
        ...errorResponses(['malformed_request', ...generalErrors, ...imageErrors, ...commonErrors]),
      },
    },
    handler: async (request, reply) => {
      try {
        return await createTask(request, reply);
      } catch (error) {
        throw withOpenParam(error);
      }
    },
    onResponse: async (request) => request.onSent?.(),
  });
}
