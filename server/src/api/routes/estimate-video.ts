import type { FastifyInstance } from 'fastify';
import { priceOf } from '../../domain/price.ts';
import { errorResponses, keyErrors } from '../../http/error-responses.ts';
import { emptyBody } from '../../http/parse-json-bodies.ts';
import { reference } from '../../http/schema-parts.ts';
import { resolveModel } from '../../operations/tasks/resolve-model.ts';
import type { ApiParts } from '../api-parts.ts';
import { presentEstimate } from '../presenters/present-estimate.ts';
import { callerOf } from '../requests/caller-of.ts';
import { prefers } from '../requests/prefer.ts';
import { readGenerationRequest } from '../requests/read-generation-request.ts';
import { estimateRequestSchema, estimateSchema } from '../schemas/estimate-schema.ts';
import { estimateHeaders } from '../schemas/request-headers.ts';
import { preferenceHeader } from '../schemas/response-headers.ts';
import { createBody, generalErrors } from './create-video.ts';

/** POST /v1/videos/estimate: checks and resolves a request like a create, without creating anything. */
export function estimateVideoRoute(
  app: FastifyInstance,
  parts: Pick<ApiParts, 'catalogue' | 'speeds' | 'allowHttpImages' | 'refusalOfUrl' | 'promptWarning'>,
): void {
  app.route({
    method: 'POST',
    url: '/v1/videos/estimate',
    ...createBody,
    schema: {
      operationId: 'estimateVideo',
      summary: 'Estimate a request',
      description:
        'Accepts the body of either create, checks it in the same way, and returns the request with all defaults ' +
        'filled in, its warnings, its price and the time that it will probably take. Creates nothing, fetches no ' +
        'image and counts as a read.',
      tags: ['Videos'],
      headers: estimateHeaders,
      body: estimateRequestSchema,
      response: {
        200: { ...reference(estimateSchema), description: 'The resolved request.', headers: preferenceHeader },
        ...errorResponses([
          ...generalErrors,
          ...keyErrors,
          'payload_too_large',
          'unsupported_media_type',
          'no_engine_available',
        ]),
      },
    },
    handler: async (request, reply) => {
      if (request.body === undefined) throw emptyBody();
      const isStrict = prefers(request.headers.prefer, 'handling', 'strict');
      const type = hasImage(request.body) ? 'image_to_video' : 'text_to_video';
      const { livemode } = callerOf(request);
      const catalogue = parts.catalogue();
      const read = readGenerationRequest(request.body, { ...parts, catalogue, type, isStrict, livemode });
      const model = resolveModel(catalogue, read.request.model, { type, ...read.request });
      if (isStrict) reply.header('preference-applied', 'handling=strict');
      reply.header('cache-control', 'no-store');
      const { resolution, durationSeconds } = read.request;
      // Test mode is free, and the animatic renders it: the model's price and speed do not apply.
      const price = livemode ? priceOf(model, resolution, durationSeconds) : null;
      const speed = livemode ? parts.speeds.find(model.id, resolution, durationSeconds) : null;
      const expectedSeconds = speed && Math.round(speed.totalP50Seconds * 10) / 10;
      return presentEstimate(type, model, read.request, read.warnings, { price, expectedSeconds });
    },
  });
}

function hasImage(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'image_url' in body && body.image_url !== null;
}
