import { createEngine } from '../engines/create-engine.ts';
import { probeEndpoint } from '../engines/probe-endpoint.ts';
import type { Foundation } from '../wiring/foundation.ts';
import { wireEngineReports } from '../wiring/wire-engine-reports.ts';
import { type EndpointReport, reportEndpoint } from './endpoint-report.ts';

/** Probes all endpoints at once and reports the results together with the state that the service has stored. */
export async function checkEndpoints(foundation: Foundation): Promise<EndpointReport[]> {
  const { db, clock, models } = foundation;
  await models.open();
  const reports = wireEngineReports(foundation);
  const probes = await Promise.all(
    models.current().endpoints.map(async (description) => {
      const engine = createEngine(description, { reports, clock });
      try {
        return { description, probe: await probeEndpoint(engine) };
      } finally {
        await engine.close();
      }
    }),
  );
  // Engines can be checked even while Postgres is unreachable.
  const stored = await Promise.all([db.endpointStates.list(), db.leases.countLeased('all')]).catch(() => null);
  const [states, leased] = stored ?? [null, []];
  return probes.map(({ description, probe }) =>
    reportEndpoint({
      description,
      probe,
      state: states === null ? 'unreachable' : (states.find(({ endpointId }) => endpointId === description.id) ?? null),
      leased: leased.find(({ endpointId }) => endpointId === description.id) ?? null,
      now: clock.now(),
    }),
  );
}
