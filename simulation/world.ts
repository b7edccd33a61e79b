import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { animatic } from '../server/src/domain/model.ts';
import { replaceRandom } from '../server/src/domain/random.ts';
import { workerIdentity } from '../server/src/operations/queue/worker-identity.ts';
import * as workflows from '../server/src/workflows/all-workflows.ts';
import {
  type Api,
  apiOf,
  type CreateWorker,
  type Foundation,
  foundationOf,
  type Servers,
  startRelayProcess,
  startWorkerProcess,
} from './installation.ts';
import { type Director, newProcess, type Process, Scheduler } from './scheduler.ts';
import { seededChance } from './seeded-chance.ts';
import { SimulatedEngine } from './simulated-engine.ts';
import { SimulatedLocks } from './simulated-locks.ts';
import type { SimulatedPostgres } from './simulated-postgres.ts';
import { SimulatedStore } from './simulated-store.ts';
import { SimulatedTemporal } from './temporal/server.ts';
import { createSimulatedWorker } from './temporal/worker.ts';

type Role = 'api' | 'relay' | 'worker';

export interface World extends Servers {
  readonly engines: ReadonlyMap<string, { pool: string; engine: SimulatedEngine }>;
  readonly pools: readonly string[];
  /** What the reconciler found. */
  readonly findings: string[];
  /** The creates that were answered. */
  readonly accepted: AcceptedCreate[];
  readonly refusals: Refusal[];
  /** The bodies that receivers accepted. */
  readonly received: string[];
  /** The status that receivers respond with. */
  receiverStatus: number;
  readonly processes: Map<string, Process>;
  /** The API processes that are alive. */
  apis(): Api[];
  /** Tells a worker process to end in good order. */
  shutDown(slot: string): Promise<void>;
  /** Whoever acts from outside: callers, and people who break things. */
  readonly visitor: Process;
  /** Starts every process that is dead again. */
  restartDead(): void;
  close(): Promise<void>;
}

interface AcceptedCreate {
  taskId: string;
  projectId: string;
  key: string | null;
}

interface Refusal {
  code: string;
  projectId: string;
  pool: string | null;
  waitingLimit: number;
  /** How many tasks of the project waited in each pool. */
  waiting: Readonly<Record<string, number>>;
}

interface WorldOptions {
  director: Director;
  seed?: number;
  /** When virtual time begins. */
  began?: number;
  record?: (line: string) => void;
  /** Wraps what creates the workers. */
  onActivities?: (createWorker: CreateWorker) => CreateWorker;
  /** The slots of each engine of each pool. */
  pools?: Readonly<Record<string, readonly number[]>>;
  /** The processes. */
  slots?: readonly string[];
  /** How far the clock of a process, or of Postgres, is ahead. */
  clockOffsetOf?: (name: string) => number;
}

/** Creates a world. There is only one at a time, because all of them share the chance of this process. */
export async function createWorld(postgres: SimulatedPostgres, options: WorldOptions): Promise<World> {
  const { director, seed = 1, began, record, pools = { animatic: [1] } } = options;
  const { onActivities = (createWorker) => createWorker } = options;
  const { slots = ['api 0', 'relay 0', 'worker 0'], clockOffsetOf = () => 0 } = options;
  const restoreRandom = replaceRandom(seededChance(seed));
  const scheduler = new Scheduler(director, began, record);
  const scratch = await mkdtemp(join(tmpdir(), 'kinora-simulation-'));
  const engines = Object.entries(pools).flatMap(([pool, engineSlots]) =>
    engineSlots.map(
      (slots, index) => [`${pool}-${index}`, { pool, engine: new SimulatedEngine(scheduler, { slots }) }] as const,
    ),
  );
  const processes = new Map<string, Process>();
  const apis = new Map<string, Api>();
  const closers = new Map<Process, () => Promise<void>>();
  const start = (slot: string, name: string): void => {
    const role = roleOf(slot);
    const process = newProcess(name, { clockOffsetMilliseconds: clockOffsetOf(slot) });
    const foundation = foundationOf(world, process);
    processes.set(slot, process);
    if (role === 'api') apis.set(slot, apiOf(world, foundation));
    if (role === 'relay') startRelayProcess(world, foundation);
    if (role === 'worker') closers.set(process, startWorkerProcess(world, foundation, createWorkerOf(foundation)));
  };
  const createWorkerOf = ({ process, processId }: Foundation): CreateWorker => {
    const identity = workerIdentity('simulated', processId);
    const parts = { scheduler, temporal: world.temporal, process, identity };
    return onActivities(async (options) => createSimulatedWorker(parts, options));
  };
  let restarts = 0;
  const world: World = {
    scheduler,
    turns: scheduler,
    postgres,
    postgresOffsetMilliseconds: clockOffsetOf('postgres'),
    temporal: new SimulatedTemporal(scheduler, newProcess('temporal', { canFail: false }), workflows),
    locks: new SimulatedLocks(scheduler),
    store: new SimulatedStore(scheduler),
    engines: new Map(engines),
    pools: Object.keys(pools),
    catalogue: { models: Object.keys(pools).map((pool) => ({ ...animatic, id: pool, pool })) },
    scratch,
    findings: [],
    accepted: [],
    refusals: [],
    received: [],
    receiverStatus: 200,
    receive: (body) => {
      if (world.receiverStatus === 200) world.received.push(body);
      return world.receiverStatus;
    },
    onFinding: (kind) => world.findings.push(kind),
    visitor: newProcess('visitor', { canFail: false }),
    processes,
    apis: () => [...apis].filter(([slot]) => processes.get(slot)?.isAlive).map(([, api]) => api),
    async shutDown(slot) {
      const process = processes.get(slot);
      if (!process?.isAlive) return;
      await closers.get(process)?.();
      scheduler.kill(process);
    },
    restartDead() {
      for (const [slot, process] of processes) {
        if (process.isAlive) continue;
        restarts += 1;
        start(slot, `${slot}, restart ${restarts}`);
      }
    },
    async close() {
      restoreRandom();
      await rm(scratch, { recursive: true, force: true });
    },
  };
  for (const slot of slots) start(slot, slot);
  return world;
}

function roleOf(slot: string): Role {
  return slot.split(' ')[0] as Role;
}
