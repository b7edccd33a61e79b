import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiClient } from '@kinora/stack/harness/api-client';
import { closing } from '@kinora/stack/harness/closing';
import { startInstallation } from '@kinora/stack/harness/installation';
import { interrupted } from '@kinora/stack/harness/interruption';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import type { Stack } from '@kinora/stack/parts/stack';
import { northEndpoints, northEngine, northSettings } from '../north-pool.ts';
import type { Proof, ProofOutcome } from '../proof.ts';
import { checkHistory, enoughWasDone } from './check-history.ts';
import { collectHistory } from './collect-history.ts';
import { type CrashSize, crashSizes } from './crash-size.ts';
import { pause, type World } from './crash-world.ts';
import { addRun } from './earlier-runs.ts';
import { figuresOf } from './figures.ts';
import { createGate } from './gate.ts';
import { copies, emptyHistory, type History } from './history.ts';
import { joinHistories } from './join-histories.ts';
import { runLanes } from './lanes.ts';
import { runLoad } from './load.ts';
import { createRecorder } from './log-recorder.ts';
import { monitor } from './monitor.ts';
import { comeToRest } from './rest.ts';
import { createRows } from './rows.ts';
import { createSupervisor } from './supervisor.ts';

export const proof: Proof = {
  name: 'crash',
  promise:
    'If any process is killed with -9 at any moment, no accepted task is lost or rendered twice, and nothing leaks.',
  minutes: 12,
  run: (stack, { size, report }) => run(stack, crashSizes[size], report),
};

const environment = {
  KINORA_MEDIA_CONCURRENCY: '2',
  KINORA_RECONCILE_SECONDS: '5',
};

async function run(stack: Stack, size: CrashSize, report: (line: string) => void): Promise<ProofOutcome> {
  const history = emptyHistory();
  const recorder = createRecorder(history, report);
  const firstPort = await findFreePorts(northEndpoints.length);
  await using installation = await startInstallation({
    stack,
    environment: { ...environment, ...(await northSettings(stack, firstPort)) },
    copies,
    environmentOf: (role, copy) => (role === 'animatic' ? northEngine(firstPort, copy) : {}),
    // A cap of 20 makes a few tasks wait for admission; the API itself starts most of them.
    limits: { running: 20, waiting: 10_000, creates: 100_000, reads: 100_000 },
    onProgress: report,
    onLine: (role, line) => recorder.onLine(role, line),
  });
  // Aborts all parts of the proof if one of them fails.
  const broken = new AbortController();
  const signal = AbortSignal.any([interrupted, broken.signal]);
  await using rows = closing(createRows(stack.info.databaseUrl, signal));
  const { url, liveKey: key } = installation;
  const api = createApiClient({ url, key, signal, timeoutMilliseconds: 20_000 });
  await using supervisor = closing(createSupervisor({ stack, installation, recorder, history, report, signal }));
  const taskCounts = { posted: 0, active: 0, ended: 0 };
  const gate = createGate();
  const world: World = {
    stack,
    installation,
    api,
    supervisor,
    rows,
    gate,
    history,
    taskCounts,
    areTakeoversMissing: false,
    size,
    report,
    signal,
  };
  await chaos(world, broken);
  report('swept; collecting the history');
  const whole = await collectHistory(world);
  // Written next to the stack's folder, which is deleted, so that the history of every run can be read afterwards.
  writeFileSync(join(stack.info.folder, '..', 'crash-history.json'), JSON.stringify(whole, null, 1));
  return judge(whole, size, report);
}

function judge(history: History, size: CrashSize, report: (line: string) => void): ProofOutcome {
  if (!size.goesOn) return { figures: figuresOf(history), failures: checkHistory(history, size.thresholds) };
  const areEnough = (runs: History[]): boolean => enoughWasDone(joinHistories(runs), size.thresholds).length === 0;
  const runs = addRun(history, areEnough);
  if (!areEnough(runs)) report('start this size again to continue; its runs are judged together');
  const whole = joinHistories(runs);
  const inAll = { runs: runs.length, tasksInAll: whole.tasks.length, killsInAll: whole.kills.length };
  return { figures: { ...figuresOf(history), ...inAll }, failures: checkHistory(whole, size.thresholds) };
}

/** Runs load and kills side by side, waits until all work is finished, and then sweeps the store. */
async function chaos(world: World, broken: AbortController): Promise<void> {
  let isKilling = true;
  let isOver = false;
  const killing = runLanes(world).finally(() => {
    isKilling = false;
  });
  const working = [monitor(world, () => isOver), killing, runLoad(world, () => !isKilling)] as const;
  const [watching, ...disturbing] = working;
  try {
    await Promise.race([Promise.all(disturbing), watching]);
    world.report('the kills are over; waiting until all work is finished');
    await comeToRest(world, world.size.restSeconds);
  } catch (error) {
    broken.abort(error);
    throw error;
  } finally {
    isOver = true;
    await Promise.allSettled(working);
  }
  // The store rounds times to whole seconds, so an object of this second could look too young for the sweep.
  await pause(world, 1.1);
  await world.installation.command('sweep', '--older-than', '0');
}
