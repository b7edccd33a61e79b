import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { findModel } from '../../domain/catalogue.ts';
import { AppError } from '../../errors.ts';
import { errorResponses, keyErrors } from '../../http/error-responses.ts';
import { presentPage } from '../../http/list-schema.ts';
import { reference } from '../../http/schema-parts.ts';
import type { ApiParts } from '../api-parts.ts';
import { presentModel } from '../presenters/present-model.ts';
import { modelIdParameter, modelListSchema, modelSchema } from '../schemas/model-schema.ts';

/** GET /v1/models and /v1/models/{model_id}: the same for every project. */
export function modelRoutes(
  app: FastifyInstance,
  parts: Pick<ApiParts, 'catalogue' | 'acceptingPools' | 'speeds'>,
): void {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>();
  const readContext = async () => ({
    catalogue: parts.catalogue(),
    acceptingPools: await parts.acceptingPools(),
    speeds: parts.speeds,
  });

  typed.get('/v1/models', {
    schema: {
      operationId: 'listModels',
      summary: 'List models',
      description:
        'Returns all models on one page, in the order of the installation. A create that names no model uses the ' +
        'first one that supports the request.',
      tags: ['Models'],
      response: {
        200: { ...reference(modelListSchema), description: 'All models.' },
        ...errorResponses([...keyErrors]),
      },
    },
    handler: async (_request, reply) => {
      const context = await readContext();
      reply.header('cache-control', 'private, no-cache');
      return presentPage(
        context.catalogue.models.map((model) => presentModel(model, context)),
        false,
      );
    },
  });

  typed.get('/v1/models/:model_id', {
    schema: {
      operationId: 'getModel',
      summary: 'Get a model',
      description:
        'Returns what the model supports, whether it is available and how long it takes. Aliases work as ids.',
      tags: ['Models'],
      params: modelIdParameter,
      response: {
        200: { ...reference(modelSchema), description: 'The model.' },
        ...errorResponses([...keyErrors, 'not_found']),
      },
    },
    handler: async (request, reply) => {
      const context = await readContext();
      const model = findModel(context.catalogue, request.params.model_id);
      if (!model) throw new AppError('not_found', { message: 'There is no model with this id or alias.' });
      reply.header('cache-control', 'private, no-cache');
      return presentModel(model, context);
    },
  });
}
