import { hostname } from 'node:os';
import packageJson from '../../package.json' with { type: 'json' };
import type { ProcessReport } from '../db/attempts/process-table.ts';
import { signEverySeconds } from '../operations/attempts/follow-gone-workers.ts';
import { createProcessReporter } from '../operations/upkeep/process-reporter.ts';
import { every } from '../relay/every.ts';
import type { Foundation, Started } from './foundation.ts';

const reportEverySeconds = 5;

/** What only the roles of a process know of it. */
export type RoleFacts = Partial<Pick<ProcessReport, 'ownedEndpoints' | 'timers'>>;

/** Reports this process and its models file, at once after each change of the file, until it is closed. */
export function reportProcess(
  { db, clock, log, models, aheadMilliseconds, processId: id }: Foundation,
  roles: readonly string[],
  factsOfRoles: () => RoleFacts,
): Started {
  const reporter = createProcessReporter({
    db,
    clock,
    log,
    describe: () => {
      const { catalogue, endpoints, fingerprint } = models.current();
      return {
        id,
        roles,
        version: packageJson.version,
        host: hostname(),
        aheadMilliseconds: aheadMilliseconds(),
        ownedEndpoints: 0,
        timers: [],
        fingerprint,
        models: [...catalogue.models, ...(catalogue.retired ?? [])].map((model) => model.id),
        endpoints: endpoints.map((endpoint) => endpoint.id),
        ...factsOfRoles(),
      };
    },
  });
  const logged = (work: () => Promise<void>) => () =>
    work().catch((error: unknown) => log.warn({ event: 'process.report_failed', err: error }, 'process not reported'));
  const timers = [every(clock, reportEverySeconds, logged(reporter.report), () => undefined)];
  if (roles.includes('worker')) timers.push(every(clock, signEverySeconds, logged(reporter.sign), () => undefined));
  const stopListening = models.onChanged(() => void logged(reporter.report)());
  return {
    close: async () => {
      stopListening();
      await Promise.all(timers.map((timer) => timer.close()));
      await db.processes.remove(id).catch(() => undefined); // it goes after 10 minutes
    },
  };
}
