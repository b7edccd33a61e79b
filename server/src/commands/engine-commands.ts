import type { Command } from 'commander';
import { setDrained } from '../operations/engines/set-drained.ts';
import type { Foundation } from '../wiring/foundation.ts';
import { reportColumns, reportRow } from './endpoint-report.ts';
import { operatorOf } from './operator-of.ts';
import { printTable } from './print-table.ts';
import { withFoundation } from './with-foundation.ts';

export function addEngineCommands(program: Command): void {
  const engines = program.command('engines').description('check and maintain the endpoints of the models file');

  engines
    .command('check')
    .description('probe every endpoint of the models file; exit with 1 if one of them has a problem')
    .option('--json', 'print one JSON object per line', false)
    .action((options: { json: boolean }) =>
      withFoundation(async (foundation) => {
        // This import loads all engine adapters, which no other command needs.
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
    .description('start no new jobs on an endpoint; running ones end normally')
    .action((id: string, _options: unknown, command: Command) =>
      withFoundation(async (foundation) => {
        await change(foundation, command, id, foundation.clock.now());
        console.log(
          `${id} is drained: no new jobs start there. \`engines check\` shows when the running ones have ended.`,
        );
      }),
    );

  engines
    .command('resume')
    .argument('<endpoint>')
    .description('start jobs on an endpoint again, and reset its breaker')
    .action((id: string, _options: unknown, command: Command) =>
      withFoundation(async (foundation) => {
        await change(foundation, command, id, null);
        console.log(`${id} is back in service.`);
      }),
    );
}

/** Drains an endpoint of the models file, or resumes it if `drainedAt` is null. */
async function change({ models, db, clock }: Foundation, command: Command, id: string, drainedAt: Date | null) {
  await models.open();
  await setDrained({ db, clock, endpoints: () => models.current().endpoints }, operatorOf(command), id, drainedAt);
}
