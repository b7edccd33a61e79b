import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import type { WorkflowClient } from './workflow-client.ts';

/** What an operation needs that changes rows and starts workflows. */
export interface WorkflowParts {
  db: Database;
  workflows: WorkflowClient;
  clock: Clock;
}
