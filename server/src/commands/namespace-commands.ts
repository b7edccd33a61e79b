import { setTimeout as pause } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { Command } from 'commander';
import { readCommandConfig } from '../config.ts';
import { explainTemporal } from '../wiring/part-problems.ts';
import { readTemporalAccess } from '../wiring/read-temporal-access.ts';
import { createTemporalClient, type TemporalClient } from './doctor/temporal-client.ts';
import { readPositiveNumber } from './read-option.ts';

/** 60 s: Temporal accepts requests some seconds after it has opened its port. */
const patienceMilliseconds = 60_000;
const pauseMilliseconds = 1_000;
/** Of gRPC. */
const alreadyExists = 6;
const unavailable = [4, 14]; // deadline exceeded, unavailable

export function addNamespaceCommands(program: Command): void {
  program
    .command('namespace')
    .description('prepare Temporal for Kinora')
    .command('ensure')
    .description('register the namespace KINORA_TEMPORAL_NAMESPACE in Temporal, unless it exists')
    // All that Kinora needs of ended workflows later is in its own database.
    .option('--retention-days <days>', 'how long Temporal keeps ended workflows', readPositiveNumber, 1)
    .action(async ({ retentionDays }: { retentionDays: number }) => {
      const temporal = createTemporalClient(readTemporalAccess(readCommandConfig()));
      try {
        const isNew = await ensureNamespace(temporal, retentionDays);
        console.log(`The namespace ${temporal.namespace} ${isNew ? 'was registered' : 'exists'}.`);
      } finally {
        await temporal.close();
      }
    });
}

/** Returns whether the namespace was registered; false if it existed. */
async function ensureNamespace(temporal: TemporalClient, retentionDays: number): Promise<boolean> {
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
