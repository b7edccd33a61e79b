import type { Command } from 'commander';
import { AppError } from '../errors.ts';
import type { Foundation } from '../wiring/foundation.ts';
import { reportColumns, reportRow } from './endpoint-report.ts';
import { printTable } from './print-table.ts';
import { withFoundation } from './with-foundation.ts';

export function addEngineCommands(program: Command): void {
  const engines = program.command('engines').description('endpoints of the models file: health, maintenance');

  engines
    .command('check')
    .description('ask every endpoint of the models file what it is; ends with 1 when something is wrong')
    .option('--json', 'one JSON object a line', false)
    .action((options: { json: boolean }) =>
      withFoundation(async (foundation) => {
        // All adapters come with it, which no other command needs.
        const { checkEndpoints } = await import('./check-endpoints.ts');
        const reports = await checkEndpoints(foundation);
        if (options.json) for (const report of reports) console.log(JSON.stringify(report));
        else printTable(reportColumns, reports.map(reportRow));
        if (reports.some(({ health }) => health !== 'ok')) process.exitCode = 1;
      }),
    );

  engines
    .command('drain')
    .argument('<endpoint>')
    .description('begin no more jobs there; what runs ends normally')
    .action((id: string) =>
      withFoundation(async (foundation) => {
        await setDrained(foundation, id, foundation.clock.now());
        console.log(
          `${id} is drained: no job is begun there from now on. \`engines check\` shows when none runs any more.`,
        );
      }),
    );

  engines
    .command('resume')
    .argument('<endpoint>')
    .description('begin jobs there again, and forget what was held against it')
    .action((id: string) =>
      withFoundation(async (foundation) => {
        await setDrained(foundation, id, null);
        console.log(`${id} is in service again.`);
      }),
    );
}

/** Takes an endpoint out of service, or puts it back; its owner obeys within two seconds. */
export async function setDrained(foundation: Foundation, id: string, drainedAt: Date | null): Promise<void> {
  const { models, db } = foundation;
  await models.open();
  const { endpoints } = models.current();
  const found = endpoints.find((endpoint) => endpoint.id === id);
  if (!found) {
    const known = endpoints.map((endpoint) => endpoint.id).join(', ');
    throw new AppError('not_found', { message: `There is no endpoint ${id}; there are ${known}.` });
  }
  await db.endpointStates.setDrained(id, found.pool, drainedAt);
}
