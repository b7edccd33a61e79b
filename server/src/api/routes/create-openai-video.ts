import type { FastifyInstance } from 'fastify';
import { errorResponses } from '../../http/error-responses.ts';
import { reference } from '../../http/schema-parts.ts';
import { readOpenAiRequest, withOpenAiParam } from '../requests/read-openai-request.ts';
import { openAiVideoFormSchema, openAiVideoSchema } from '../schemas/openai-video-schema.ts';
import { createHeaders } from '../schemas/request-headers.ts';
import { createdHeaders } from '../schemas/response-headers.ts';
import { taskSchema } from '../schemas/task-schema.ts';
import { type CreateParts, createTaskHandler } from './create-task-handler.ts';
import { commonErrors, createBody, generalErrors, imageErrors } from './create-video.ts';

/** `POST /v1/videos`, OpenAI-compatible. Must be registered where multipart bodies are accepted. */
export function createOpenAiVideoRoute(app: FastifyInstance, parts: CreateParts): void {
  const createTask = createTaskHandler(parts, readOpenAiRequest);
  app.route({
    method: 'POST',
    url: '/v1/videos',
    ...createBody,
    schema: {
      operationId: 'createVideo',
      summary: 'Create a video with an OpenAI-compatible request',
      description:
        'Accepts the request of OpenAI-compatible clients, as JSON or as a form. With `input_reference` it is image ' +
        'to video. The task, the headers and the errors are those of the other two creates.',
      tags: ['Videos'],
      headers: createHeaders,
      consumes: ['application/json', 'multipart/form-data'],
      body: {
        content: {
          'application/json': { schema: reference(openAiVideoSchema) },
          'multipart/form-data': { schema: reference(openAiVideoFormSchema) },
        },
      },
      response: {
        200: {
          ...reference(taskSchema),
          description: 'The accepted task.',
          headers: createdHeaders,
        },
        ...errorResponses(['malformed_request', ...generalErrors, ...imageErrors, ...commonErrors]),
      },
    },
    handler: async (request, reply) => {
      try {
        return await createTask(request, reply);
      } catch (error) {
        throw withOpenAiParam(error);
      }
    },
    onResponse: async (request) => request.onSent?.(),
  });
}
