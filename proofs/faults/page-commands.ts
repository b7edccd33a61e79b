import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { readPageCommands } from '@kinora/stack/harness/page-commands';
import { runUnprivileged } from '@kinora/stack/parts/postgres-server';
import { toolPath } from '@kinora/stack/parts/stack-state';

const pagePath = join(import.meta.dirname, '../../docs/operations/backup-and-restore.md');

/**
 * Runs commands of the page on backups, so that the page cannot say anything that does not work. They are in a block
 * that begins with "```sh NAME". The page explains the variables that the commands read.
 */
export async function runPageCommands(name: string, variables: Record<string, string>): Promise<void> {
  const commands = readPageCommands(readFileSync(pagePath, 'utf8'), name);
  const path = `${dirname(toolPath('psql'))}${delimiter}${process.env['PATH'] ?? ''}`;
  await runUnprivileged(['bash', '-euo', 'pipefail', '-c', commands], { ...variables, PATH: path });
}
