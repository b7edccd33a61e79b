import { setTimeout as pause } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { explainTemporal } from '../health/part-problems.ts';
import type { TemporalAccess } from '../operations/queue/temporal-access.ts';
import { createTemporalClient, type TemporalClient } from './doctor/temporal-client.ts';

/** 60 s: Temporal accepts requests some seconds after it has opened its port. */
const patienceMilliseconds = 60_000;
const pauseMilliseconds = 1_000;
/** Of gRPC. */
const alreadyExists = 6;
const unavailable = [4, 14]; // deadline exceeded, unavailable

/** Returns whether the namespace was registered; false if it existed. */
export async function ensureNamespace(access: TemporalAccess, retentionDays: number): Promise<boolean> {
  const temporal = createTemporalClient(access);
  try {
    return await register(temporal, retentionDays);
  } finally {
    await temporal.close();
  }
}

async function register(temporal: TemporalClient, retentionDays: number): Promise<boolean> {
  for (const startedAt = performance.now(); ; ) {
    try {
      await temporal.call(({ workflowService }) =>
        workflowService.registerNamespace({
          namespace: temporal.namespace,
          workflowExecutionRetentionPeriod: msToTs(`${retentionDays} days`),
        }),
      );
      return true;
    } catch (error) {
      const code: number | null = isGrpcServiceError(error) ? error.code : null;
      if (code === alreadyExists) return false;
      const isPassing = code !== null && unavailable.includes(code);
      if (!isPassing || performance.now() - startedAt > patienceMilliseconds) {
        const { reason, remedy } = explainTemporal(error);
        throw new Error(`${reason} ${remedy}`, { cause: error });
      }
      await pause(pauseMilliseconds);
    }
  }
}
