import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OperatorParts } from '../operator-parts.ts';
import { presentBacklog, presentEndpoint, presentPool } from '../present-engines.ts';
import { operatorOf } from '../requests/session-of.ts';

/** 200 projects: nobody reads further down, and those with the most waiting tasks come first. */
const backlogLimit = 200;

type Parts = Pick<OperatorParts, 'readEngineBoard' | 'setDrained' | 'listBacklog'>;

/** What the engines do, what waits for them, and taking them out of service. */
export function engineRoutes(app: FastifyInstance, parts: Parts): void {
  app.get('/console-api/engines', async () => {
    const { generatedAt, pools } = await parts.readEngineBoard();
    return { generated_at: Math.floor(generatedAt.getTime() / 1000), pools: pools.map(presentPool) };
  });

  app.get('/console-api/backlog', async () => ({
    data: (await parts.listBacklog(backlogLimit)).map(presentBacklog),
  }));

  const setDrained = async (request: FastifyRequest, isDrained: boolean) => {
    const { endpoint_id: endpointId } = request.params as { endpoint_id: string };
    return presentEndpoint(await parts.setDrained(operatorOf(request), endpointId, isDrained));
  };
  app.post('/console-api/engines/:endpoint_id/drain', (request) => setDrained(request, true));
  app.post('/console-api/engines/:endpoint_id/resume', (request) => setDrained(request, false));
}
