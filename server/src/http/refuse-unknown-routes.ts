import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The methods that a URL supports; set on the placeholder routes for those that it does not. */
    allow?: string;
  }
}

/** 404 and 405 before a key is required or a body is read: call this before any route, register the plug-in last. */
export function refuseUnknownRoutes(app: FastifyInstance): (instance: FastifyInstance) => Promise<void> {
  const methodsByUrl = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.allow !== undefined) return;
    methodsByUrl.set(url, new Set([...(methodsByUrl.get(url) ?? []), ...[method].flat()]));
  });

  app.addHook('onRequest', async (request, reply) => {
    const { allow } = request.routeOptions.config;
    if (allow !== undefined) {
      reply.header('allow', allow);
      throw new AppError('method_not_allowed', { message: `Method not allowed. Use ${allow}.` });
    }
    if (request.is404) throw new AppError('not_found');
    // The router takes nothing for an id, so `/v1/videos/` would be a task without an id instead of the list.
    if (Object.values(request.params ?? {}).includes(''))
      throw new AppError('not_found', {
        message: 'Not found: an id is missing. Remove the slash at the end of the address.',
      });
  });

  return async (instance) => {
    for (const [url, methods] of methodsByUrl) {
      instance.route({
        url,
        method: instance.supportedMethods.filter((method) => !methods.has(method)),
        config: { allow: [...methods].sort().join(', ') },
        schema: { hide: true },
        // Never called, as the hook above throws; Fastify requires a handler.
        handler: async () => null,
      });
    }
  };
}
