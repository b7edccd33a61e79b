import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import proto from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';

const folder = join(import.meta.dirname, '../../server/src/workflows/histories');

/** Replays this version's recorded histories on another build. Returns those whose workflows it would not go on with. */
export async function replayOn(build: string): Promise<{ replayed: number; refused: string[] }> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const workflowBundle = { codePath: join(build, 'workflow-bundle.js') };
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const refused: string[] = [];
  for (const name of names) {
    const recorded = JSON.parse(readFileSync(join(folder, name), 'utf8')) as object;
    const history = proto.temporal.api.history.v1.History.fromObject(recorded);
    await Worker.runReplayHistory({ workflowBundle }, history).catch(() => refused.push(name));
  }
  return { replayed: names.length - refused.length, refused };
}
