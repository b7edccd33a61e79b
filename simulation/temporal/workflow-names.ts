import { type ActivityOptions, ContinueAsNew, current, running, Scope, throwIfCancelled } from './execution.ts';

// The few names of @temporalio/workflow that the workflows use, with the same meaning.

export { ActivityFailure, TimeoutFailure } from '@temporalio/common';

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the signature of the SDK
export function proxyActivities<Activities>(options: ActivityOptions): Activities {
  const call = (type: string) => (input: unknown) => {
    const { execution, scope } = current();
    return execution.schedule(type, input, options, scope);
  };
  return new Proxy({}, { get: (_target, type) => call(String(type)) }) as Activities;
}

export const CancellationScope = {
  nonCancellable: <T>(work: () => Promise<T>): Promise<T> => running.run({ ...current(), scope: new Scope() }, work),
  current: () => ({ consideredCancelled: current().scope.isCancelled }),
};

export async function continueAsNew(input: unknown): Promise<never> {
  throw new ContinueAsNew(input);
}

export function patched(): boolean {
  return true;
}

export async function sleep(milliseconds: number): Promise<void> {
  const { execution, scope } = current();
  throwIfCancelled(scope);
  await execution.sleep(milliseconds, scope);
}

export function workflowInfo() {
  const { execution } = current();
  return {
    continueAsNewSuggested: execution.isContinueAsNewSuggested(),
    continuedFromExecutionRunId: execution.continuedFromRunId,
  };
}
