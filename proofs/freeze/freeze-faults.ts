import type { UsualRole } from '@kinora/stack/harness/installation';
import { pause } from '@kinora/stack/harness/pause';
import { freezeProcess } from '@kinora/stack/parts/freeze-process';
import type { PartName } from '@kinora/stack/parts/stack';
import { copies } from '../faults/fault-world.ts';
import type { Fault, Target } from './freeze-evidence.ts';
import type { FreezeWorld } from './freeze-world.ts';

const roleOf: Partial<Record<Target, UsualRole>> = { worker: 'worker', relay: 'relay', api: 'api', engine: 'animatic' };

/** Freezes a copy of a role, or a part of the stack, for so many seconds. */
export async function freeze(world: FreezeWorld, target: Target, seconds: number, copy = 0): Promise<void> {
  const { frozen, evidence, report } = world;
  const pid = pidOf(world, target, copy);
  const name = `${target} ${copy}`;
  const fault: Fault = { kind: 'freeze', target, pid, from: Date.now(), until: 0 };
  report(`${name} freezes for ${seconds} s`);
  const thaw = freezeProcess(pid);
  frozen.set(name, thaw);
  try {
    await pause(seconds * 1000);
  } finally {
    thaw();
    frozen.delete(name);
  }
  evidence.faults.push({ ...fault, until: Date.now() });
  report(`${name} goes on`);
}

/** Returns the copy whose turn it is; the parts of the stack have one each. */
export function copyInRound(target: Target, round: number): number {
  const role = roleOf[target];
  return role ? round % copies[role] : 0;
}

export function isFrozen({ frozen }: FreezeWorld, target: Target, copy = 0): boolean {
  return frozen.has(`${target} ${copy}`);
}

/** Lets the host of a worker vanish: no other host gets a sign of it. A successor starts at once on another host. */
export async function loseWorker(world: FreezeWorld, copy: number): Promise<Fault> {
  const { installation, networks, evidence, report } = world;
  const pid = pidOf(world, 'worker', copy);
  report(`the host of worker ${copy} vanishes`);
  const from = Date.now();
  await Promise.all((networks[copy] ?? []).map((proxy) => proxy.vanish()));
  await installation.stop('worker', 'SIGKILL', copy);
  const fault: Fault = { kind: 'vanish', target: 'worker', pid, from, until: Date.now() };
  evidence.faults.push(fault);
  await installation.start('worker', {}, copy);
  return fault;
}

/** Returns the copy of the worker that began or took over most attempts since then. */
export function busiestWorker(world: FreezeWorld, since: number): number {
  const { installation, evidence } = world;
  const countOf = (copy: number): number => {
    const pid = installation.process('worker', copy)?.pid;
    return evidence.holders.filter((holder) => holder.pid === pid && holder.at >= since).length;
  };
  const all = Array.from({ length: copies.worker }, (_, copy) => copy);
  return all.toSorted((one, other) => countOf(other) - countOf(one))[0] ?? 0;
}

function pidOf({ stack, installation }: FreezeWorld, target: Target, copy: number): number {
  const role = roleOf[target];
  // A target is a role or a part.
  const pid = role ? installation.process(role, copy)?.pid : stack.pid(target as PartName);
  if (!pid) throw new Error(`${target} ${copy} is not running`);
  return pid;
}
