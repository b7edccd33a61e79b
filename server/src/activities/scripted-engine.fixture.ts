import { Readable } from 'node:stream';
import type { Engine, JobState, RenderRequest } from '../engines/engine.ts';

/** An engine whose every word is the test's: what real ones do seldom, and at the worst moment. */
export interface ScriptedEngine extends Engine {
  /** What it says of a job; one that is not here is lost. */
  jobs: Map<string, JobState>;
  submitted: string[];
  /** How often it was asked for a job, whether or not it answered. */
  polls: number;
  cancelled: string[];
  slots: number;
  isUp: boolean;
  /** What a cancel achieves; `stopped` also ends the job. */
  cancelOutcome: Awaited<ReturnType<Engine['cancel']>>;
}

export function createScriptedEngine(): ScriptedEngine {
  const jobIdOf = (operation: Record<string, string | number>): string => String(operation['jobId']);
  const insistOnUp = (): void => {
    if (!engine.isUp) throw new Error('the engine does not answer');
  };
  const engine: ScriptedEngine = {
    jobs: new Map(),
    submitted: [],
    polls: 0,
    cancelled: [],
    slots: 1,
    isUp: true,
    cancelOutcome: 'stopped',
    describe: async () => {
      insistOnUp();
      return { engine: 'scripted', version: '1', slots: engine.slots, models: null, problems: [] };
    },
    operationFor: (jobId) => ({ jobId }),
    submit: async ({ jobId }: RenderRequest) => {
      insistOnUp();
      engine.submitted.push(jobId);
      engine.jobs.set(jobId, { state: 'running', progress: 1 });
      return { jobId };
    },
    poll: async (operation) => {
      engine.polls += 1;
      insistOnUp();
      return engine.jobs.get(jobIdOf(operation)) ?? { state: 'lost' };
    },
    fetchOutput: async () => Readable.from([Buffer.from('what was rendered')]),
    cancel: async (operation) => {
      insistOnUp();
      engine.cancelled.push(jobIdOf(operation));
      if (engine.cancelOutcome === 'stopped') engine.jobs.delete(jobIdOf(operation));
      return engine.cancelOutcome;
    },
    discard: async (operation) => {
      insistOnUp();
      engine.jobs.delete(jobIdOf(operation));
    },
    jobsSince: async () => [],
    health: async () => (engine.isUp ? { isReady: true } : { isReady: false, reason: 'it is down' }),
    close: async () => undefined,
  };
  return engine;
}
