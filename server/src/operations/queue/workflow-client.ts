/** How long the process that wrote an outbox row has to start its workflow before the relay does. */
export const relayDelayMilliseconds = 2_000; /** Where a workflow enters: a row that is `queued` is generated, one that is `in_progress` is followed. */
type WorkflowEntry = 'generate' | 'follow';

/** An outbox row that asks for the workflow of a task to be started. */
interface TaskStart {
  kind: 'start';
  outboxId: string;
  taskId: string;
  pool: string;
  projectId: string;
  weight: number;
  enter: WorkflowEntry;
}

/** An outbox row that asks for the workflow of a webhook's delivery to be started. */
export interface DeliveryStart {
  kind: 'deliver';
  outboxId: string;
  deliveryId: string;
  /** Null for a task's callback. */
  endpointId: string | null;
  projectId: string;
}

export type WorkflowStart = TaskStart | DeliveryStart;

export type WorkflowState = 'running' | 'completed' | 'failed' | 'missing';

/** What the service asks of Temporal. */
export interface WorkflowClient {
  /** Starts workflows best effort: bounded in number and time, never throws; what it misses the relay starts. */
  startSoon(starts: readonly WorkflowStart[]): void;
  /** Starts one workflow; an existing one is left as it is. */
  start(start: WorkflowStart): Promise<void>;
  /** Cancels the workflow of a task; a missing one is no error. */
  cancel(taskId: string): Promise<void>;
  /** How the workflow of a task or delivery stands. Throws on any error other than "not found". */
  state(workflowId: string): Promise<WorkflowState>;
  /** Throws when Temporal does not answer. */
  check(): Promise<void>;
}
