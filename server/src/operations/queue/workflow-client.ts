/** How long the process that wrote an outbox row has to start its workflow before the relay does. */
export const relayDelayMilliseconds = 2_000;

/** The workflow's first step: `generate` for a queued task, `follow` for one in progress. */
type WorkflowEntry = 'generate' | 'follow';

/** An outbox row that requests the start of a task's workflow. */
interface TaskStart {
  kind: 'start';
  outboxId: string;
  taskId: string;
  pool: string;
  projectId: string;
  weight: number;
  enter: WorkflowEntry;
  /** Whether to start it even if one has completed: only for a row known to be open, as a start may be repeated. */
  afterCompletion?: boolean;
  /** A run of the workflow that ends without having seen the admission. */
  endedRun?: string | null;
}

/** An outbox row that requests the start of a webhook delivery's workflow. */
export interface DeliveryStart {
  kind: 'deliver';
  outboxId: string;
  deliveryId: string;
  projectId: string;
}

export type WorkflowStart = TaskStart | DeliveryStart;

/** `stuck`: it is open, but its worker fails again and again to decide what comes next. */
export type WorkflowState = 'running' | 'stuck' | 'completed' | 'failed' | 'missing';

/** What the service needs from Temporal. */
export interface WorkflowClient {
  /** Starts new workflows without waiting, limited in number and time; never throws. The relay starts the others. */
  startSoon(starts: readonly WorkflowStart[]): void;
  /** Starts one workflow. A running one is left as it is, and so is a completed one unless `afterCompletion` is set. */
  start(start: WorkflowStart): Promise<void>;
  /** Cancels the workflow of a task; a missing one is not an error. */
  cancel(taskId: string): Promise<void>;
  /** Returns the state of a task's or a delivery's workflow. Throws on any error other than "not found". */
  state(workflowId: string): Promise<WorkflowState>;
  /** Returns the version whose workflow code no longer fits the history of a failed one; null if it failed otherwise. */
  outgrownBy(workflowId: string): Promise<string | null>;
  /**
   * Fails what workers that are gone were doing for a task, so that the task's workflow goes on at once. Returns whether
   * they were doing anything for it.
   */
  failActivityOf(workflowId: string, processIds: ReadonlySet<string>): Promise<boolean>;
  /** Throws if Temporal does not respond. */
  check(): Promise<void>;
}
