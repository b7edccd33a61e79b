import type { Stack } from '@kinora/stack/parts/stack';
import { backendsOf, childrenOf, type ProcessGroup, program, sharedPostgres } from './process-groups.ts';

/** kinora-media and the ffmpeg that it starts, once per task. */
export const mediaPrograms = 'media programs';

type Role = 'api' | 'relay' | 'worker';

/** Returns the groups of all processes that work for a task, but for the engine. */
export function serviceGroups(
  stack: Stack,
  installation: { process(role: Role): { pid: number } | null },
): ProcessGroup[] {
  const role = (name: Role) => program(name, () => installation.process(name)?.pid);
  return [
    role('api'),
    role('relay'),
    role('worker'),
    childrenOf(mediaPrograms, () => installation.process('worker')?.pid),
    backendsOf('kinora', () => stack.pid('postgres')),
    program('store', () => stack.pid('s3')),
    ...temporalGroups(stack),
  ];
}

/** Returns the groups through which every program with workflows writes: Temporal and what Postgres does for it. */
export function temporalGroups(stack: Stack): ProcessGroup[] {
  const postmaster = () => stack.pid('postgres');
  return [
    program('temporal', () => stack.pid('temporal')),
    backendsOf('temporal', postmaster),
    backendsOf('temporal_visibility', postmaster),
    sharedPostgres(postmaster),
  ];
}
