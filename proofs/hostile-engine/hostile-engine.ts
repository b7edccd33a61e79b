import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiClient } from '@kinora/stack/harness/api-client';
import { closing } from '@kinora/stack/harness/closing';
import { type Installation, type RoleName, startInstallation } from '@kinora/stack/harness/installation';
import { readLogLines } from '@kinora/stack/harness/log-lines';
import { smallestShape } from '@kinora/stack/harness/models-file';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { colours, makeVideo } from '@kinora/stack/harness/sample-videos';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Proof, ProofOutcome, ProofSize } from '../proof.ts';
import { startCanary } from './canary.ts';
import { chooseCases } from './choose-cases.ts';
import { bystander, type Case } from './hostile-case.ts';
import type { ObservedRole, ObservedTask } from './hostile-evidence.ts';
import { writeHostileModels } from './hostile-models.ts';
import { type HostileServer, startHostileServer } from './hostile-server.ts';
import { type Demand, judgeHostileEngine } from './judge-hostile-engine.ts';
import { type MemoryWatch, watchMemory } from './memory-watch.ts';
import { protocols } from './mutation.ts';
import { runCases } from './run-hostile-cases.ts';
import { speak } from './speak.ts';

export const proof: Proof = {
  name: 'hostile-engine',
  promise:
    'Whatever an engine responds or posts, each task ends correctly and in time, other tasks are not harmed, callers see none of its words, and memory stays bounded.',
  minutes: 4,
  run: (stack, { size, report }) => run(stack, size, report),
};

interface HostileSize extends Demand {
  patienceSeconds: number;
  attemptSeconds: number;
}

const sizes: Record<ProofSize, HostileSize> = {
  ci: {
    mutatedResponses: 300,
    hostileTasks: 300,
    honestTasks: 20,
    filesDecoded: 30,
    sentMegabytes: 600,
    patienceSeconds: 360,
    // A job of an idle Cog server is lost after 10 s; with 15 s, a busy machine once exceeded this limit first.
    attemptSeconds: 22,
  },
  // An attempt of 100 s is long enough for an engine that is silent for a minute to count as lost.
  full: {
    mutatedResponses: 5000,
    hostileTasks: 2500,
    honestTasks: 40,
    filesDecoded: 200,
    sentMegabytes: 1000,
    patienceSeconds: 5400,
    attemptSeconds: 100,
  },
};

const roles = ['api', 'relay', 'worker'] as const satisfies readonly RoleName[];
const resetMilliseconds = 300;

async function run(stack: Stack, size: ProofSize, report: (line: string) => void): Promise<ProofOutcome> {
  const { attemptSeconds, patienceSeconds, ...demand } = sizes[size];
  const folder = join(stack.info.folder, 'hostile-engine');
  const cases = chooseCases(size, protocols);
  // Honest tasks run first to warm everything up, and last to show that nothing stays broken.
  const before = [...protocols, ...protocols, ...protocols].map(bystander).map(numbered(10_000));
  const after = protocols.map(bystander).map(numbered(20_000));
  const videos = await Promise.all(colours.map((colour) => makeVideo(folder, colour, smallestShape)));
  await using canary = closing(await startCanary());
  const video = (number: number): Buffer => videos[number % videos.length] ?? Buffer.alloc(0);
  const server = await startHostileServer({
    cases: [...before, ...cases, ...after],
    speak,
    videoOf: ({ number }) => video(number),
    otherVideoOf: ({ number }) => video(number + 1),
    canaryUrl: canary.url,
  });
  await using _server = closing(server);
  const ended = new Set<string>();
  await using installation = await startInstallation({
    stack,
    onProgress: report,
    roles,
    limits: { running: 5_000, waiting: 100_000, creates: 60_000, reads: 1_000_000 },
    onEnd: (role) => ended.add(role),
    environment: {
      KINORA_MODELS_FILE: await writeHostileModels(folder, protocols, server.urlOf),
      KINORA_ATTEMPT_LIMIT_SECONDS: String(attemptSeconds),
      KINORA_MEDIA_CONCURRENCY: '2',
    },
  });
  const memory = new Map<RoleName, MemoryWatch>(
    roles.map((role) => [role, watchMemory(installation.process(role)?.pid)]),
  );
  await using _breaker = closing(await resetBreakers(stack));
  try {
    const api = createApiClient({ url: installation.url, key: installation.liveKey, patientWith: [429] });
    const colourOf = ({ number }: Case): string => colours[number % colours.length] ?? '';
    const common = { api, server, colourOf, folder, report };
    report(`${before.length} honest tasks warm up`);
    const warm = await runCases({ ...common, patienceSeconds: 60, files: 2 }, before);
    for (const watch of memory.values()) watch.begin();
    const observed = await runCases({ ...common, patienceSeconds, files: demand.filesDecoded }, cases);
    report(`${after.length} honest tasks show that everything still works`);
    const last = await runCases({ ...common, patienceSeconds: 60, files: after.length }, after);
    reportSlowest(observed, server, report);
    return judgeHostileEngine(
      {
        tasks: [...warm, ...observed, ...last.map((task) => ({ ...task, name: `${task.name} afterwards` }))],
        roles: roles.map((role) => observeRole(installation, role, memory.get(role), ended.has(role))),
        canaryConnections: canary.connections,
        sentBytes: server.sentBytes(),
      },
      demand,
    );
  } finally {
    for (const watch of memory.values()) watch.close();
  }
}

function numbered(first: number): (case_: Omit<Case, 'number'>, index: number) => Case {
  return (case_, index) => ({ ...case_, number: first + index });
}

/** Resets the breakers all the time, as `engines resume` does: here all endpoints lie, and would stay tripped. */
async function resetBreakers(stack: Stack): Promise<{ close(): Promise<void> }> {
  const client = await openDatabase(stack);
  client.on('error', () => undefined);
  const reset = (): void => {
    client
      .query('update endpoint_states set failures_in_a_row = 0, closed_until = null where failures_in_a_row > 0')
      .catch(() => undefined);
  };
  const timer = setInterval(reset, resetMilliseconds);
  return {
    close: async () => {
      clearInterval(timer);
      await client.end();
    },
  };
}

function observeRole(
  installation: Installation,
  role: RoleName,
  memory: MemoryWatch | undefined,
  hasEnded: boolean,
): ObservedRole {
  const lines = readLogLines(readFileSync(installation.logPath(role), 'utf8'));
  return {
    role,
    warmBytes: memory?.warmBytes() ?? 0,
    peakBytes: memory?.peakBytes() ?? 0,
    hasEnded,
    fatalLines: lines.filter(({ level }) => level >= 60).map((line) => JSON.stringify(line)),
  };
}

/** Reports the slowest tasks, which are not failures but worth knowing. */
function reportSlowest(observed: readonly ObservedTask[], server: HostileServer, report: (line: string) => void): void {
  const slow = observed.toSorted((one, other) => other.seconds - one.seconds).slice(0, 3);
  for (const { name, seconds, status, error } of slow)
    report(`slow: ${Math.round(seconds)} s, ${error?.code ?? status}: ${name}`);
  report(`${server.honestResponses()} responses were honest`);
}
