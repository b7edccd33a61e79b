import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiClient } from '@kinora/stack/harness/api-client';
import { startInstallation } from '@kinora/stack/harness/installation';
import { interrupted } from '@kinora/stack/harness/interruption';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Proof, ProofOutcome } from '../proof.ts';
import { withProofStack } from '../proof-stack.ts';
import { serverPaths } from '../server-paths.ts';
import { checkHistory } from './check-history.ts';
import { collectHistory } from './collect-history.ts';
import { type CrashSize, crashSizes } from './crash-size.ts';
import { pause, type World } from './crash-world.ts';
import { figuresOf } from './figures.ts';
import { createGate } from './gate.ts';
import { emptyHistory } from './history.ts';
import { runLanes } from './lanes.ts';
import { runLoad } from './load.ts';
import { createRecorder } from './log-recorder.ts';
import { monitor } from './monitor.ts';
import { comeToRest } from './rest.ts';
import { createRows } from './rows.ts';
import { createSupervisor } from './supervisor.ts';

export const proof: Proof = {
  name: 'crash',
  promise: 'Whatever is killed with -9, and whenever: no accepted task is lost, none is rendered twice, nothing leaks.',
  covers: [
    ...serverPaths(`activities/ db/ engines/animatic/ live/ media/ operations/ relay/ storage/ telemetry/failpoints.ts
      wiring/ workflows/`),
    'animatic/src/animatic-',
    'boxes/src/',
    'package-lock.json',
  ],
  minutes: 12,
  run: (size, report) => withProofStack('crash', report, (stack) => run(stack, crashSizes[size], report)),
};

/** Small and fast: more slots than the load needs, so that those a dead worker holds for 15 s do not stop the others. */
const environment = {
  KINORA_ANIMATIC_SLOTS: '6',
  KINORA_MEDIA_CONCURRENCY: '2',
  KINORA_RECONCILE_SECONDS: '5',
};

async function run(stack: Stack, size: CrashSize, report: (line: string) => void): Promise<ProofOutcome> {
  const history = emptyHistory();
  const recorder = createRecorder(history, report);
  const installation = await startInstallation({
    stack,
    environment,
    // Some wait for admission now and then; most are started by the API itself.
    limits: { running: 20, waiting: 10_000, creates: 100_000, reads: 100_000 },
    onProgress: report,
    onLine: (role, line) => recorder.onLine(role, line),
  });
  // Ends everything that is still under way when a part of the proof itself has failed.
  const broken = new AbortController();
  const signal = AbortSignal.any([interrupted, broken.signal]);
  const rows = createRows(stack.info.databaseUrl, signal);
  const { url, testKey: key } = installation;
  const api = createApiClient({ url, key, signal, timeoutMilliseconds: 20_000 });
  const supervisor = createSupervisor({ stack, installation, recorder, history, report, signal });
  try {
    const standing = { posted: 0, active: 0, ended: 0 };
    const gate = createGate();
    const world: World = { stack, installation, api, supervisor, rows, gate, history, standing, size, report, signal };
    await chaos(world, broken);
    report('swept and collected');
    const whole = await collectHistory(world);
    // Beside the stack, which is wiped: what was lost and why can be looked up after a run that was kept, too.
    writeFileSync(join(stack.info.folder, '..', 'crash-history.json'), JSON.stringify(whole, null, 1));
    return { figures: figuresOf(whole), failures: checkHistory(whole, size.thresholds) };
  } finally {
    await supervisor.close();
    await rows.close();
    await installation.close();
  }
}

/** Load and kills side by side, then peace until nothing moves, then the sweep. */
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
    world.report('nothing is killed any more; waiting until all has come to rest');
    await comeToRest(world);
  } catch (error) {
    broken.abort(error);
    throw error;
  } finally {
    isOver = true;
    await Promise.allSettled(working);
  }
  // The store keeps whole seconds: what was written in this one would look younger than it is.
  await pause(world, 1.1);
  await world.installation.command('sweep', '--older-than', '0');
}
