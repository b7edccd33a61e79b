import { AsyncLocalStorage } from 'node:async_hooks';
import { CancelledFailure } from '@temporalio/common';

/** A scope of a workflow: whether a cancellation reaches what runs in it. */
export class Scope {
  readonly #listeners = new Set<() => void>();
  isCancelled = false;

  cancel(): void {
    this.isCancelled = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Calls the listener when the scope is cancelled, unless the returned function is called before. */
  onCancelled(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export interface ActivityOptions {
  taskQueue?: string;
  startToCloseTimeout: string;
  heartbeatTimeout?: string;
  retry?: { initialInterval?: string; backoffCoefficient?: number; maximumInterval?: string; maximumAttempts?: number };
  priority?: { priorityKey?: number };
}

/** One run of a workflow, as its code sees it. */
export interface Execution {
  readonly workflowId: string;
  readonly continuedFromRunId: string | undefined;
  readonly root: Scope;
  isContinueAsNewSuggested(): boolean;
  schedule(type: string, input: unknown, options: ActivityOptions, scope: Scope): Promise<unknown>;
  sleep(milliseconds: number, scope: Scope): Promise<void>;
}

/** The run whose code is running, and the scope that it is in. */
export const running = new AsyncLocalStorage<{ execution: Execution; scope: Scope }>();

export function current(): { execution: Execution; scope: Scope } {
  const now = running.getStore();
  if (!now) throw new Error('this is no workflow');
  return now;
}

export function throwIfCancelled(scope: Scope): void {
  if (scope.isCancelled) throw new CancelledFailure('the workflow was cancelled');
}

/** Thrown by the code of a workflow that goes on in a new run. */
export class ContinueAsNew extends Error {
  readonly input: unknown;
  constructor(input: unknown) {
    super('continues as new');
    this.input = input;
  }
}
