import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { type Installation, usualRoles } from '@kinora/stack/harness/installation';
import type { Stack } from '@kinora/stack/parts/stack';
import { withWorkflows } from '../with-workflows.ts';
import type { Haystack } from './search.ts';

const run = promisify(execFile);
const dumpLimitBytes = 512 * 1024 * 1024;

/** Collects everything that Kinora has written: logs, the database, and Temporal's history of each workflow. */
export async function collect(stack: Stack, installation: Installation): Promise<Haystack[]> {
  const logs = usualRoles.map(
    (role): Haystack => ({ place: 'log', name: `${role}.log`, text: readFileSync(installation.logPath(role), 'utf8') }),
  );
  const { stdout } = await run('pg_dump', ['--data-only', '--dbname', stack.info.databaseUrl], {
    maxBuffer: dumpLimitBytes,
  });
  return [...logs, { place: 'database', name: 'the database dump', text: stdout }, ...(await histories(stack))];
}

function histories(stack: Stack): Promise<Haystack[]> {
  return withWorkflows(stack, async (workflow) => {
    const found: Haystack[] = [];
    for await (const { workflowId, runId, memo, searchAttributes } of workflow.list()) {
      const history = await workflow.getHandle(workflowId, runId).fetchHistory();
      const text = [workflowId, memo, searchAttributes, history].map(readable).join('\n');
      found.push({ place: 'history', name: `the history of ${workflowId}`, text });
    }
    return found;
  });
}

/** Writes a value as text and decodes every payload, because Temporal's JSON has bytes in base64. */
function readable(value: unknown): string {
  return JSON.stringify(value, (name, inner: unknown) => {
    if (inner instanceof Uint8Array) return Buffer.from(inner).toString('utf8');
    if (name === 'data' && typeof inner === 'string') return Buffer.from(inner, 'base64').toString('utf8');
    return typeof inner === 'bigint' ? String(inner) : inner;
  });
}
