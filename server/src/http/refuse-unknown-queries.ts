import type { FastifyInstance } from 'fastify';
import { refuseFor } from './problems.ts';
import { unknownParameters } from './query-reader.ts';

/** Refuses queries at operations that have none. Signed URLs are exempt, because players and proxies add parameters. */
export function refuseUnknownQueries(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    if (request.caller === null || request.routeOptions.schema?.querystring !== undefined) return;
    const [first, ...others] = unknownParameters(request.query, {});
    if (first) throw refuseFor([first, ...others]);
  });
}
