import { readdirSync } from 'node:fs';
import { readProcessStat } from '@kinora/stack/parts/process-stat';
import { commandLineOf } from '@kinora/stack/parts/processes';
import { sum } from './sum.ts';

/** What the system has counted for one process. */
interface ProcessCounters {
  parent: number;
  /** CPU time of the process itself. */
  ownMilliseconds: number;
  /** CPU time of its children that have exited and were waited for, and of theirs. */
  exitedChildrenMilliseconds: number;
  /** The command line; programs such as Postgres write into it what they do. */
  title: string;
}
type Counters = ReadonlyMap<number, ProcessCounters>;

/** A counter that only grows, under a key by which two readings are compared. */
type Reading = readonly [key: string, milliseconds: number];

/** The processes of one part, such as the API or the backends of one database. */
export interface ProcessGroup {
  name: string;
  read(counters: Counters): Reading[];
  /** Counters of running processes that the system adds to one in `read` at exit; their past must not count as new. */
  readMoving?(counters: Counters): Reading[];
}

type ReadPid = () => number | null | undefined;

/** The process with this id, without its children. */
export function program(name: string, readPid: ReadPid): ProcessGroup {
  return { name, read: (counters) => [readPid()].flatMap((pid) => own(counters, pid ?? -1)) };
}

/** All descendants of a process, running and exited, without the process itself. */
export function childrenOf(name: string, readPid: ReadPid): ProcessGroup {
  return {
    name,
    read: (counters) => {
      const root = readPid() ?? -1;
      return descendantsOf(counters, root).flatMap((pid) => [
        ...(pid === root ? [] : own(counters, pid)),
        ...exitedChildren(counters, pid),
      ]);
    },
    readMoving: (counters) => descendantReadings(counters, readPid() ?? -1),
  };
}

/** The backends that serve one database. */
export function backendsOf(database: string, readPostmaster: ReadPid): ProcessGroup {
  return {
    name: `postgres (${database})`,
    read: (counters) =>
      descendantsOf(counters, readPostmaster() ?? -1)
        .filter((pid) => databaseOf(counters, pid) === database)
        .flatMap((pid) => own(counters, pid)),
  };
}

/** The processes of Postgres that serve no single database, such as the checkpointer, and backends that have exited. */
export function sharedPostgres(readPostmaster: ReadPid): ProcessGroup {
  return {
    name: 'postgres (shared)',
    read: (counters) =>
      descendantsOf(counters, readPostmaster() ?? -1).flatMap((pid) => [
        ...(databaseOf(counters, pid) === null ? own(counters, pid) : []),
        ...exitedChildren(counters, pid),
      ]),
    readMoving: (counters) => descendantReadings(counters, readPostmaster() ?? -1),
  };
}

/** Starts to count. Returns a function that returns the CPU milliseconds that each group has used since. */
export function startCpuMeter(
  groups: readonly ProcessGroup[],
  read: () => Counters = readCounters,
): () => Record<string, number> {
  const readGroups = () => {
    const counters = read();
    return groups.map((group) => ({
      own: new Map(group.read(counters)),
      moving: new Map(group.readMoving?.(counters)),
    }));
  };
  const before = readGroups();
  return () => {
    const after = readGroups();
    return Object.fromEntries(
      groups.map(({ name }, index) => {
        const growth = [...(after[index]?.own ?? [])].map(([key, now]) => now - (before[index]?.own.get(key) ?? 0));
        const moved = [...(before[index]?.moving ?? [])].filter(([key]) => !after[index]?.moving.has(key));
        return [name, sum(growth) - sum(moved.map(([, milliseconds]) => milliseconds))];
      }),
    );
  };
}

function readCounters(): Counters {
  const counters = new Map<number, ProcessCounters>();
  for (const pid of readdirSync('/proc').map(Number)) {
    const stat = pid > 0 ? readProcessStat(pid) : null;
    if (stat === null) continue;
    counters.set(pid, {
      parent: stat.parent,
      ownMilliseconds: stat.ownCpuMilliseconds,
      exitedChildrenMilliseconds: stat.exitedChildrenCpuMilliseconds,
      title: commandLineOf(pid),
    });
  }
  return counters;
}

function own(counters: Counters, pid: number): Reading[] {
  const found = counters.get(pid);
  return found ? [[`${pid}`, found.ownMilliseconds]] : [];
}

function exitedChildren(counters: Counters, pid: number): Reading[] {
  const found = counters.get(pid);
  return found ? [[`children of ${pid}`, found.exitedChildrenMilliseconds]] : [];
}

/** Returns the counters of all running descendants of a process. */
function descendantReadings(counters: Counters, root: number): Reading[] {
  return descendantsOf(counters, root)
    .filter((pid) => pid !== root)
    .flatMap((pid) => [...own(counters, pid), ...exitedChildren(counters, pid)]);
}

/** Returns a process and all its descendants that run. */
function descendantsOf(counters: Counters, root: number): number[] {
  const found = new Set([root]);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const [pid, { parent }] of counters) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** A backend's title is "postgres: USER DATABASE ADDRESS(PORT) STATE"; other processes of Postgres have no address. */
function databaseOf(counters: Counters, pid: number): string | null {
  return /^postgres: \S+ (\S+) \S+\(\d+\)/.exec(counters.get(pid)?.title ?? '')?.[1] ?? null;
}
