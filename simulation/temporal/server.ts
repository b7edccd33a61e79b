import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  RetryState,
  TimeoutFailure,
  TimeoutType,
} from '@temporalio/common';
import type { Process, Scheduler } from '../scheduler.ts';
import { millisecondsOf } from './duration.ts';
import { type ActivityOptions, ContinueAsNew, type Execution, running, Scope, throwIfCancelled } from './execution.ts';

export type RunStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'TERMINATED';

/** The events after which a run should continue as new. Temporal suggests it after thousands. */
const eventsOfRun = 200;

export interface ActivityTask {
  readonly type: string;
  readonly input: unknown;
  readonly queue: string;
  readonly options: ActivityOptions;
  readonly run: Run;
  readonly fairnessKey: string;
  readonly order: number;
  attempt: number;
  /** Changes with every start: what an earlier start reports no longer counts. */
  token: number;
  isStarted: boolean;
  /** The worker of the latest start. */
  identity: string;
  isCancelRequested: boolean;
  isOver: boolean;
  stopTimers: (() => void)[];
  heartbeat: () => void;
  settle: { resolve: (value: unknown) => void; reject: (error: Error) => void };
}

/** What a worker reports about an activity that it was given. */
export type Outcome =
  | { kind: 'completed'; result: unknown }
  | { kind: 'failed'; error: unknown }
  | { kind: 'cancelled' };

interface Run {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  readonly input: unknown;
  readonly queue: string;
  readonly fairnessKey: string;
  readonly root: Scope;
  readonly continuedFromRunId: string | undefined;
  status: RunStatus;
  /** Whether it failed because its worker's code did not fit its history. */
  isOutgrown: boolean;
  events: number;
  activities: Set<ActivityTask>;
}

interface Poll {
  readonly process: Process;
  readonly identity: string;
  readonly queue: string;
  readonly take: (task: ActivityTask) => void;
}

const never = new Promise<never>(() => undefined);

type Workflows = Readonly<Record<string, (input: never) => Promise<void>>>;

/** How Temporal fails if a workflow is started under an id that it has seen. */
class AlreadyStarted extends Error {
  override name = 'WorkflowExecutionAlreadyStartedError';
}

class NotFound extends Error {
  override name = 'WorkflowNotFoundError';
}

/**
 * A Temporal with the guarantees that the service relies on, and no others: `start` is idempotent by id, an activity runs
 * at most once per try, one that falls silent times out, and a workflow goes on as long as any worker lives.
 */
export class SimulatedTemporal {
  readonly #scheduler: Scheduler;
  readonly #process: Process;
  readonly #workflows: Workflows;
  readonly #runs = new Map<string, Run>();
  readonly #waiting: ActivityTask[] = [];
  #polls: Poll[] = [];
  #order = 0;
  workflowTasks = 0;
  /** Tells of a workflow task, by its number, whether the code of its worker has outgrown the history. */
  isOutgrown: (workflowTask: number) => boolean = () => false;
  /** The types of the workflows that ended so. */
  readonly outgrown: string[] = [];
  /** Whether it responds. While it does not, its timers stand still. */
  isUp = true;

  constructor(scheduler: Scheduler, process: Process, workflows: Workflows) {
    this.#scheduler = scheduler;
    this.#process = process;
    this.#workflows = workflows;
  }

  // --- what clients ask for

  start(
    type: string,
    options: {
      workflowId: string;
      taskQueue: string;
      args: readonly unknown[];
      fairnessKey: string;
      mayRepeat: boolean;
    },
  ): void {
    const { workflowId } = options;
    const former = this.#runs.get(workflowId);
    if (former?.status === 'RUNNING') return;
    if (former?.status === 'COMPLETED' && !options.mayRepeat) throw new AlreadyStarted('it has completed');
    const [input] = options.args;
    this.#begin({ type, workflowId, input, queue: options.taskQueue, fairnessKey: options.fairnessKey });
  }

  cancel(workflowId: string): void {
    const run = this.#runs.get(workflowId);
    if (run?.status !== 'RUNNING') throw new NotFound('no such workflow runs');
    run.root.cancel();
  }

  terminate(workflowId: string, runId?: string): void {
    const run = this.#runs.get(workflowId);
    if (run?.status === 'RUNNING' && (runId ?? run.runId) === run.runId) this.#end(run, 'TERMINATED');
  }

  status(workflowId: string): RunStatus {
    const run = this.#runs.get(workflowId);
    if (!run) throw new NotFound('no such workflow');
    return run.status;
  }

  hasOutgrown(workflowId: string): boolean {
    return this.#runs.get(workflowId)?.isOutgrown === true;
  }

  startedActivities(workflowId: string): { activityId: string; state: number; lastWorkerIdentity: string }[] {
    return this.#startedIn(workflowId).map(({ order, identity }) => {
      return { activityId: String(order), state: 2, lastWorkerIdentity: identity };
    });
  }

  failActivity(workflowId: string, activityId: string): void {
    const task = this.#startedIn(workflowId).find(({ order }) => String(order) === activityId);
    if (!task) throw Object.assign(new Error('no such activity runs'), { code: 5 });
    for (const stop of task.stopTimers.splice(0)) stop();
    this.#retry(task, ApplicationFailure.create({ message: 'its worker is gone', nextRetryDelay: 1 }));
  }

  #startedIn(workflowId: string): ActivityTask[] {
    const { activities = [] } = this.#runs.get(workflowId) ?? {};
    return [...activities].filter(({ isStarted, isOver }) => isStarted && !isOver);
  }

  openWorkflows(): string[] {
    return [...this.#runs.values()].filter(({ status }) => status === 'RUNNING').map(({ workflowId }) => workflowId);
  }

  // --- what workers ask for

  /** Asks for an activity of a queue. Returns a function that stops asking. */
  poll(poll: Poll): () => void {
    this.#polls.push(poll);
    this.#match();
    return () => {
      this.#polls = this.#polls.filter((other) => other !== poll);
    };
  }

  /** Takes a sign of life. Returns whether the activity should stop. */
  heartbeat(task: ActivityTask, token: number): boolean {
    if (!this.isUp) return false;
    if (task.isOver || task.token !== token) return true;
    task.heartbeat();
    return task.isCancelRequested;
  }

  report(task: ActivityTask, token: number, outcome: Outcome): void {
    if (task.isOver || task.token !== token) return;
    for (const stop of task.stopTimers.splice(0)) stop();
    if (outcome.kind === 'completed') return this.#settle(task, ({ resolve }) => resolve(outcome.result));
    if (outcome.kind === 'cancelled') {
      const cause = new CancelledFailure('the activity was cancelled');
      return this.#fail(task, cause, RetryState.CANCEL_REQUESTED);
    }
    this.#retry(task, asFailure(outcome.error));
  }

  // --- runs

  #begin(start: {
    type: string;
    workflowId: string;
    input: unknown;
    queue: string;
    fairnessKey: string;
    continuedFromRunId?: string;
  }): void {
    const workflow = this.#workflows[start.type];
    if (!workflow) throw new Error(`no workflow ${start.type}`);
    this.#order += 1;
    const run: Run = {
      ...start,
      continuedFromRunId: start.continuedFromRunId,
      runId: `run-${this.#order}`,
      root: new Scope(),
      status: 'RUNNING',
      isOutgrown: false,
      events: 0,
      activities: new Set(),
    };
    this.#runs.set(start.workflowId, run);
    this.#scheduler.changes += 1;
    this.#scheduler.note(() => `workflow ${start.workflowId} begins ${run.runId} ${JSON.stringify(start.input)}`);
    const execution: Execution = {
      workflowId: run.workflowId,
      continuedFromRunId: run.continuedFromRunId,
      root: run.root,
      isContinueAsNewSuggested: () => run.events > eventsOfRun,
      schedule: (type, input, options, scope) => this.#schedule(run, type, input, options, scope),
      sleep: (milliseconds, scope) => this.#sleep(run, milliseconds, scope),
    };
    void this.#workflowTask(run)
      .then(() => running.run({ execution, scope: run.root }, () => workflow(start.input as never)))
      .then(
        () => this.#end(run, 'COMPLETED'),
        (error: unknown) => {
          if (run.status !== 'RUNNING') return;
          if (!(error instanceof ContinueAsNew)) return this.#end(run, 'FAILED');
          run.status = 'COMPLETED';
          this.#begin({ ...start, input: error.input, continuedFromRunId: run.runId });
        },
      );
  }

  #end(run: Run, status: RunStatus): void {
    if (run.status !== 'RUNNING') return;
    run.status = status;
    this.#scheduler.changes += 1;
    this.#scheduler.note(() => `workflow ${run.workflowId} ends ${status}`);
    for (const task of run.activities) {
      task.isOver = true;
      for (const stop of task.stopTimers.splice(0)) stop();
      this.#remove(task);
    }
  }

  /** The code of a workflow goes on only while a worker serves its queue. */
  async #workflowTask(run: Run): Promise<void> {
    run.events += 3;
    const isServed = (): boolean => this.isUp && this.#pollOf(run.queue) !== undefined;
    const decide = (): void => {
      if (run.status !== 'RUNNING') return;
      this.workflowTasks += 1;
      if (!this.isOutgrown(this.workflowTasks)) return;
      run.isOutgrown = true;
      this.outgrown.push(run.type);
      this.#end(run, 'FAILED');
    };
    await this.#scheduler.call(this.#process, `workflow task of ${run.workflowId}`, decide, isServed);
    if (run.status !== 'RUNNING') await never;
  }

  async #sleep(run: Run, milliseconds: number, scope: Scope): Promise<void> {
    const woken = Promise.withResolvers<void>();
    const stop = this.#scheduler.after(this.#process, milliseconds, () => woken.resolve());
    const leave = scope.onCancelled(() => woken.reject(new CancelledFailure('the timer was cancelled')));
    run.events += 2;
    try {
      await woken.promise;
    } finally {
      stop();
      leave();
      await this.#workflowTask(run);
    }
  }

  async #schedule(run: Run, type: string, input: unknown, options: ActivityOptions, scope: Scope): Promise<unknown> {
    throwIfCancelled(scope);
    const ended = Promise.withResolvers<unknown>();
    this.#order += 1;
    const task: ActivityTask = {
      type,
      input,
      queue: options.taskQueue ?? run.queue,
      options,
      run,
      fairnessKey: run.fairnessKey,
      order: this.#order,
      attempt: 1,
      token: 0,
      isStarted: false,
      identity: '',
      isCancelRequested: false,
      isOver: false,
      stopTimers: [],
      heartbeat: () => undefined,
      settle: ended,
    };
    run.activities.add(task);
    run.events += 3;
    this.#offer(task);
    const leave = scope.onCancelled(() => this.#requestCancel(task));
    try {
      return await ended.promise;
    } finally {
      leave();
      await this.#workflowTask(run);
    }
  }

  // --- activities

  #offer(task: ActivityTask): void {
    task.isStarted = false;
    this.#waiting.push(task);
    this.#match();
  }

  #isMatching = false;

  /** Lets a step of Temporal hand a waiting activity to a poll. Which of them go together is decided in that step. */
  #match(): void {
    if (this.#isMatching) return;
    this.#isMatching = true;
    const isPossible = (): boolean => this.isUp && this.#waiting.some(({ queue }) => this.#pollOf(queue) !== undefined);
    const hand = (): void => {
      this.#isMatching = false;
      const [task, poll] = this.#nextPair() ?? [];
      this.#match();
      if (!task || !poll) return;
      this.#remove(task);
      this.#polls = this.#polls.filter((other) => other !== poll);
      this.#startTry(task, poll);
    };
    void this.#scheduler.call(this.#process, 'dispatch', hand, isPossible);
  }

  /** Retried tasks first, then the project that was served longest ago, then the oldest. */
  #nextPair(): [ActivityTask, Poll] | null {
    for (const task of this.#waiting.toSorted(
      (one, other) => rankOf(one) - rankOf(other) || this.#fairly(one, other),
    )) {
      const poll = this.#pollOf(task.queue);
      if (poll) return [task, poll];
    }
    return null;
  }

  #pollOf(wanted: string): Poll | undefined {
    return this.#polls.find(({ queue, process }) => queue === wanted && process.isAlive && !process.isFrozen);
  }

  readonly #servedAt = new Map<string, number>();

  #fairly(one: ActivityTask, other: ActivityTask): number {
    const servedAt = ({ queue, fairnessKey }: ActivityTask): number =>
      this.#servedAt.get(`${queue} ${fairnessKey}`) ?? 0;
    return servedAt(one) - servedAt(other) || one.order - other.order;
  }

  #startTry(task: ActivityTask, poll: Poll): void {
    this.#order += 1;
    task.token = this.#order;
    task.isStarted = true;
    task.identity = poll.identity;
    this.#scheduler.changes += 1;
    this.#servedAt.set(`${task.queue} ${task.fairnessKey}`, this.#order);
    this.#scheduler.note(
      () => `${poll.process.name} gets ${task.type} ${JSON.stringify(task.input)} try ${task.attempt}`,
    );
    const limit = (milliseconds: number, type: TimeoutType): (() => void) =>
      this.#scheduler.after(this.#process, milliseconds, () => this.#timeOut(task, type));
    const whole = millisecondsOf(task.options.startToCloseTimeout) ?? 0;
    task.stopTimers = [limit(whole, TimeoutType.START_TO_CLOSE)];
    const silence = millisecondsOf(task.options.heartbeatTimeout);
    if (silence !== null) {
      let stop = limit(silence, TimeoutType.HEARTBEAT);
      task.heartbeat = () => {
        stop();
        stop = limit(silence, TimeoutType.HEARTBEAT);
      };
      task.stopTimers.push(() => stop());
    }
    poll.take(task);
  }

  #timeOut(task: ActivityTask, type: TimeoutType): void {
    if (task.isOver) return;
    for (const stop of task.stopTimers.splice(0)) stop();
    this.#scheduler.note(() => `${task.type} ${JSON.stringify(task.input)} timed out: ${type}`);
    this.#retry(task, new TimeoutFailure('the activity timed out', undefined, type));
  }

  #retry(task: ActivityTask, failure: Error): void {
    const { retry = {} } = task.options;
    const isFinal = failure instanceof ApplicationFailure && failure.nonRetryable === true;
    if (isFinal) return this.#fail(task, failure, RetryState.NON_RETRYABLE_FAILURE);
    if (task.isCancelRequested) return this.#fail(task, failure, RetryState.CANCEL_REQUESTED);
    if (retry.maximumAttempts !== undefined && task.attempt >= retry.maximumAttempts)
      return this.#fail(
        task,
        failure,
        failure instanceof TimeoutFailure ? RetryState.TIMEOUT : RetryState.MAXIMUM_ATTEMPTS_REACHED,
      );
    const first = millisecondsOf(retry.initialInterval) ?? 1_000;
    const longest = millisecondsOf(retry.maximumInterval) ?? 100 * first;
    const usual = Math.min(longest, first * (retry.backoffCoefficient ?? 2) ** (task.attempt - 1));
    const asked = failure instanceof ApplicationFailure ? failure.nextRetryDelay : undefined;
    const wait = typeof asked === 'number' ? asked : usual;
    task.attempt += 1;
    task.token = 0;
    task.isStarted = false;
    task.stopTimers = [this.#scheduler.after(this.#process, wait, () => this.#offer(task))];
  }

  #requestCancel(task: ActivityTask): void {
    if (task.isOver) return;
    task.isCancelRequested = true;
    const cause = new CancelledFailure('the activity was cancelled');
    if (task.isStarted) {
      // The workflow does not wait; the worker learns of it with its next heartbeat.
      task.settle.reject(failureOf(task, cause, RetryState.CANCEL_REQUESTED));
      return;
    }
    for (const stop of task.stopTimers.splice(0)) stop();
    this.#fail(task, cause, RetryState.CANCEL_REQUESTED);
  }

  #fail(task: ActivityTask, cause: Error, state: RetryState): void {
    this.#settle(task, ({ reject }) => reject(failureOf(task, cause, state)));
  }

  #settle(task: ActivityTask, how: (settle: ActivityTask['settle']) => void): void {
    task.isOver = true;
    this.#scheduler.changes += 1;
    this.#remove(task);
    task.run.activities.delete(task);
    if (task.run.status === 'RUNNING') how(task.settle);
  }

  #remove(task: ActivityTask): void {
    const at = this.#waiting.indexOf(task);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}

function failureOf(task: ActivityTask, cause: Error, state: RetryState): ActivityFailure {
  return new ActivityFailure('the activity failed', task.type, undefined, state, undefined, cause);
}

function rankOf(task: ActivityTask): number {
  return task.options.priority?.priorityKey ?? 3;
}

function asFailure(error: unknown): Error {
  if (error instanceof Error) return error;
  return ApplicationFailure.retryable(String(error));
}
