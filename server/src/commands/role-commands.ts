import type { Command } from 'commander';
import { isSilent } from '../domain/process-signs.ts';
import { judgeProcesses } from '../health/judge-processes.ts';
import { printTable } from './print-table.ts';
import { withFoundation } from './with-foundation.ts';

export function addRoleCommands(program: Command): void {
  program
    .command('roles')
    .description('list the processes that run, and what is wrong with them; exit with 1 if something is')
    .option('--json', 'print one JSON object per process', false)
    .action((options: { json: boolean }) =>
      withFoundation(async ({ db, clock }) => {
        const processes = await db.processes.list();
        const problems = judgeProcesses(processes, clock.now());
        if (options.json) for (const process of processes) console.log(JSON.stringify(process));
        else {
          printTable(
            ['roles', 'version', 'host', 'state', 'started', 'endpoints'],
            processes.map(({ roles, version, host, silentSeconds, startedAt, ownedEndpoints }) => [
              roles.join('+'),
              version,
              host,
              isSilent({ silentSeconds }) ? `silent for ${Math.round(silentSeconds)} s` : 'running',
              startedAt.toISOString(),
              roles.includes('worker') ? String(ownedEndpoints) : '',
            ]),
          );
          for (const { reason, remedy } of problems) console.log(`${reason} ${remedy}`);
        }
        if (problems.length > 0) process.exitCode = 1;
      }),
    );
}
