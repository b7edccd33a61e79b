import { createEndpointMaker, createEngine } from '../engines/create-engine.ts';
import { probeEndpoint } from '../engines/probe-endpoint.ts';
import { createRegistry, type Endpoint, type Registry } from '../engines/registry.ts';
import type { Foundation } from './foundation.ts';
import { wireEngineReports } from './wire-engine-reports.ts';

/** Wires the endpoints of the models file, which follow it while the process runs; each new one is probed. */
export function wireRegistry(foundation: Foundation): Registry {
  const { models, clock, log } = foundation;
  const reports = wireEngineReports(foundation);
  const make = createEndpointMaker((endpoint) => createEngine(endpoint, { reports, clock }));
  const registry = createRegistry(make(models.current().endpoints));
  void logProblems(registry.endpoints(), log);
  models.onChanged(() => {
    const before = registry.endpoints();
    registry.replace(make(models.current().endpoints));
    void logProblems(
      registry.endpoints().filter((endpoint) => !before.includes(endpoint)),
      log,
    );
  });
  return registry;
}

/** Logs what is wrong with endpoints now, so that an operator does not learn it from the first task that fails. */
async function logProblems(endpoints: readonly Endpoint[], log: Foundation['log']): Promise<void> {
  await Promise.all(
    endpoints.map(async ({ id, pool, engine }) => {
      const { reason, description } = await probeEndpoint(engine);
      const problems = [...(reason === null ? [] : [reason]), ...(description?.problems ?? [])];
      if (problems.length > 0)
        log.warn({ event: 'endpoint.check_failed', endpoint: id, pool, problems }, 'endpoint check failed');
      else
        log.info(
          {
            event: 'endpoint.checked',
            endpoint: id,
            pool,
            engine: description?.engine,
            version: description?.version,
          },
          'endpoint checked',
        );
    }),
  );
}
