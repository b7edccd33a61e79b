import { setTimeout as pause } from 'node:timers/promises';
import type { Box } from '@kinora/boxes/box';
import { AppError } from '../../errors.ts';
import type { DoctorResult } from './run-doctor.ts';

interface DoctorReport {
  results: DoctorResult[];
  ranAt: Date;
  seconds: number;
}

/** 60 s: browsers and proxies give up soon after. A run takes some seconds unless a part hangs. */
const longestMilliseconds = 60_000;

/** A running process's doctor: who asks during a run gets its report, and all runs share one kinora-media. */
export function createSharedDoctor(
  environment: Readonly<Record<string, string | undefined>>,
  limitMilliseconds = longestMilliseconds,
): () => Promise<DoctorReport> {
  let box: Promise<Box> | null = null;
  let running: Promise<DoctorReport> | null = null;
  const run = async (): Promise<DoctorReport> => {
    const ranAt = new Date();
    const before = performance.now();
    // Loaded when it is first used: few processes run the doctor, and it needs the clients of all parts.
    const [{ runDoctor }, { createBox }] = await Promise.all([import('./run-doctor.ts'), import('@kinora/boxes/box')]);
    const results = await runDoctor(environment, {}, (options) => (box ??= createBox(options)));
    return { results, ranAt, seconds: Math.round((performance.now() - before) / 100) / 10 };
  };
  return async () => {
    running ??= run().finally(() => {
      running = null;
    });
    const report = await Promise.race([running, pause(limitMilliseconds, null, { ref: false })]);
    if (report === null)
      throw new AppError('overloaded', { message: 'The doctor did not finish in time. Try again in a minute.' });
    return report;
  };
}
