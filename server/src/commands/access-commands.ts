import type { Command } from 'commander';
import { routeAccess } from '../api/hooks/route-access.ts';
import { consoleAccess } from '../console/console-access.ts';
import { printTable } from './print-table.ts';

export function addAccessCommands(program: Command): void {
  program
    .command('access')
    .description('list who may use which route of the API and of the console')
    .option('--json', 'print one JSON object per line', false)
    .action(({ json }: { json: boolean }) => {
      const rows = [
        ...Object.entries(routeAccess).map(([route, access]) => ({ role: 'api', route, access })),
        ...Object.entries(consoleAccess).map(([route, access]) => ({ role: 'console', route, access })),
      ];
      if (json) for (const row of rows) console.log(JSON.stringify(row));
      else
        printTable(
          ['role', 'route', 'access'],
          rows.map(({ role, route, access }) => [role, route, describe(access)]),
        );
    });
}

/** Writes what a route demands, and the conditions that apply. */
function describe(access: string | object): string {
  if (typeof access === 'string') return access;
  const inWords = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return Object.entries(access)
    .flatMap(([name, value]) => {
      if (value === null) return ['any key'];
      return value === true ? [inWords(name)] : typeof value === 'string' ? [value] : [];
    })
    .join(', ');
}
