import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { becomesTrueWithin, eventually } from '@kinora/stack/harness/eventually';
import type { UsualRole } from '@kinora/stack/harness/installation';
import { pause } from '@kinora/stack/harness/pause';
import type { Random } from '@kinora/stack/harness/seeded-random';
import { taskIdOf } from '@kinora/stack/harness/task-id';
import { freezeProcess } from '@kinora/stack/parts/freeze-process';
import type { Rows } from '../crash/rows.ts';
import type { Caller } from '../faults/caller.ts';
import type { Probe } from '../faults/fault-evidence.ts';
import { copies, type FaultWorld } from '../faults/fault-world.ts';
import { probeInstallation } from '../faults/probe-installation.ts';
import type { Holder } from '../freeze/freeze-evidence.ts';
import { isTakenOver } from '../freeze/judge-freeze.ts';
import { northEndpoints } from '../north-pool.ts';
import { beginOf, nameOf, type Silence } from './walk-evidence.ts';

/** Everything that the parts of the walk share. */
export interface Walk {
  world: FaultWorld;
  caller: Caller;
  rows: Rows;
  random: Random;
  holders: Holder[];
  silences: Silence[];
  probes: Probe[];
}

type Frozen = Omit<Silence, 'kind' | 'until'> & { thaw: () => void };

/** How often a role is silenced at most, if what it had in flight was ended by a commit that was on its way. */
const mostTries = 5;

/** Kills one copy of a role while tasks are in flight, starts it again, and waits until the installation works. */
export async function killOne(walk: Walk, role: UsualRole): Promise<void> {
  const { installation } = walk.world;
  for (let tries = 1; ; tries += 1) {
    const { thaw, ...frozen } = await freezeInFlight(walk, role);
    await installation.stop(role, 'SIGKILL', frozen.copy).finally(thaw); // its children are frozen too
    await installation.start(role, {}, frozen.copy);
    const silence: Silence = { kind: 'kill', ...frozen, until: Date.now() };
    walk.silences.push(silence);
    const [, end] = await Promise.all([probe(walk, nameOf(silence)), untilOthersTakeOver(walk, silence)]);
    if (end !== 'nothing was left' || tries === mostTries) return;
  }
}

/** Freezes one copy of a role while tasks are in flight, and lets it go on when the others do its work. */
export async function freezeOne(walk: Walk, role: UsualRole): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { thaw, ...frozen } = await freezeInFlight(walk, role);
    const silence: Silence = { kind: 'freeze', ...frozen, until: Infinity };
    walk.silences.push(silence);
    let end: Awaited<ReturnType<typeof untilOthersTakeOver>>;
    try {
      [, end] = await Promise.all([probe(walk, beginOf(silence)), untilOthersTakeOver(walk, silence)]);
    } finally {
      silence.until = Date.now();
      thaw();
    }
    await probe(walk, nameOf(silence));
    if (end !== 'nothing was left' || tries === mostTries) return;
  }
}

/** Waits until new tasks complete on every endpoint that is up and 100 reads in a row were answered. */
export async function probe(walk: Walk, fault: string): Promise<void> {
  const endpoints = northEndpoints.filter((_, copy) => !isFrozen(walk, 'animatic', copy));
  const limits = { slowestReadMilliseconds: Infinity, endpoints };
  walk.probes.push(await probeInstallation(walk.world, walk.caller, fault, limits));
}

export function isFrozen({ silences }: Pick<Walk, 'silences'>, role: UsualRole, copy: number): boolean {
  return silences.some((silence) => silence.until === Infinity && silence.role === role && silence.copy === copy);
}

/** Freezes a copy that has something to lose. One that had nothing goes on, and the next try comes soon. */
function freezeInFlight(walk: Walk, role: UsualRole): Promise<Frozen> {
  return eventually(`a ${role} has work in flight`, async () => {
    const copy = chooseCopy(walk, role);
    const pid = walk.world.installation.process(role, copy)?.pid;
    if (!pid) return null;
    const from = Date.now();
    const thaw = freezeProcess(pid);
    try {
      if ((await tasksOf(walk, role, copy, pid)).length > 0) {
        // A commit that was on its way when the process froze may still end what it held, on a slow machine even later.
        await pause(500);
        const inFlight = await tasksOf(walk, role, copy, pid);
        if (inFlight.length > 0) return { role, copy, pid, from, inFlight, thaw };
      }
    } catch (error) {
      thaw();
      throw error;
    }
    thaw();
    return null;
  });
}

/** Only one relay at a time does rounds, so that one is chosen. */
function chooseCopy({ world, random }: Walk, role: UsualRole): number {
  return (role === 'relay' ? world.rounds.ended.at(-1)?.copy : undefined) ?? random.below(copies[role]);
}

/** Returns the tasks that are being rendered: those of a worker or an engine, or all if the role has none of its own. */
async function tasksOf({ rows, holders }: Walk, role: UsualRole, copy: number, pid: number): Promise<string[]> {
  const leased = await rows.query<{ id: string; attempt: number; endpointId: string }>(
    `select tasks.id, tasks.attempt, leases.endpoint_id as "endpointId" from tasks
     join leases on leases.task_id = tasks.id and leases.attempt = tasks.attempt where status = 'in_progress'`,
  );
  const holderOf = (taskId: string, attempt: number): number | undefined =>
    holders.findLast((holder) => holder.taskId === taskId && holder.attempt === attempt)?.pid;
  return leased
    .map(({ id, ...rest }) => ({ ...rest, taskId: taskIdOf(id) }))
    .filter(({ taskId, attempt }) => role !== 'worker' || holderOf(taskId, attempt) === pid)
    .filter(({ endpointId }) => role !== 'animatic' || endpointId === northEndpoints[copy])
    .map(({ taskId }) => taskId);
}

/** Waits until the others do the work of a silent copy, or until it turns out that it had left none. */
async function untilOthersTakeOver(walk: Walk, silence: Silence): Promise<'taken over' | 'nothing was left' | 'hangs'> {
  const { world, holders } = walk;
  const { role, copy, pid, from, inFlight } = silence;
  let hasLeftWork = true;
  const haveTakenOver = (): boolean => {
    if (role === 'worker') return isTakenOver(holders, silence);
    return role !== 'relay' || world.rounds.ended.some((round) => round.copy !== copy && round.at > from);
  };
  // A killed relay is back before the other one gets its lock, and may get the lock itself.
  if (role === 'relay' && silence.kind === 'kill') return 'taken over';
  const isOver = async (): Promise<boolean> => {
    if (haveTakenOver()) return true;
    if (role !== 'worker') return false;
    const held = await tasksOf(walk, role, copy, pid);
    hasLeftWork = inFlight.some((taskId) => held.includes(taskId));
    return !hasLeftWork;
  };
  if (!(await becomesTrueWithin(hangLimitMilliseconds, isOver))) return 'hangs';
  return hasLeftWork || haveTakenOver() ? 'taken over' : 'nothing was left';
}
