import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { plainProcess } from '../../db/attempts/process.fixture.ts';
import { createLog } from '../../telemetry/log.ts';
import { useWorld } from '../operations.fixture.ts';
import { createProcessReporter } from './process-reporter.ts';

const world = useWorld();

/** Returns a process with a models file, and the events that it logs. */
function createProcess(fingerprint: string, models: string[]) {
  const events: string[] = [];
  const write = (line: string): void => void events.push((JSON.parse(line) as { event: string }).event); // our own line
  const log = createLog({ level: 'info', roles: [], write });
  const file = plainProcess({ fingerprint, models });
  return { file, events, ...createProcessReporter({ ...world, log, describe: () => file }) };
}

describe('processes that report themselves', () => {
  it('know the models of all files that a process had within the last minute', async () => {
    const { report } = createProcess('first', ['a', 'b']);
    await report();
    expect(await world.db.processes.haveModel('b')).toBe(true);
    expect(await world.db.processes.haveModel('c')).toBe(false);
    await sql`update processes set seen_at = now() - interval '61 seconds'`.execute(world.db.kysely);
    expect(await world.db.processes.haveModel('b')).toBe(false);
  });

  it('are listed until they end in good order, or have been silent for 10 minutes', async () => {
    const { file, report } = createProcess('first', []);
    const isListed = async () => (await world.db.processes.list()).find(({ id }) => id === file.id);
    await report();
    expect(await isListed()).toMatchObject({ roles: ['worker'], host: 'gpu-1', silentSeconds: 0 });
    await world.moveClock(599);
    await createProcess('first', []).report();
    expect(await isListed()).toMatchObject({ silentSeconds: 599 });
    await world.moveClock(2);
    await createProcess('first', []).report();
    expect(await isListed()).toBeUndefined();
    await report();
    await world.db.processes.remove(file.id);
    expect(await isListed()).toBeUndefined();
  });

  it('warn once after their files have differed for two minutes, and again only after they have agreed', async () => {
    const [one, other] = [createProcess('first', []), createProcess('second', [])];
    const round = async (seconds: number) => {
      await world.moveClock(seconds);
      await other.report();
      await one.report();
    };
    for (const seconds of [0, 60, 59]) await round(seconds);
    expect(one.events).toEqual([]);
    for (const seconds of [1, 60]) await round(seconds);
    expect(one.events).toEqual(['models_file.differs']);
    other.file.fingerprint = 'first';
    await round(20);
    other.file.fingerprint = 'third';
    for (const seconds of [20, 120]) await round(seconds);
    expect(one.events).toEqual(['models_file.differs', 'models_file.differs']);
  });
});
