import { Readable } from 'node:stream';
import type { Engine, JobState, RenderRequest } from '../engines/engine.ts';
import { SubmitRefused } from '../errors.ts';

/** An engine that a test controls completely, for what real engines do rarely and at the worst moment. */
export interface ScriptedEngine extends Engine {
  /** The state of each job; a job that is not in this map is lost. */
  jobs: Map<string, JobState>;
  submitted: string[];
  /** The prompts that its list of jobs repeats; none until a test sets one. */
  prompts: Map<string, string>;
  /** How often a job was polled, whether or not the engine responded. */
  polls: number;
  cancelled: string[];
  slots: number;
  problems: string[];
  isUp: boolean;
  /** How it refuses every submit although it is up; null if it takes jobs. */
  refuses: SubmitRefused['kind'] | null;
  /** Whether it makes the ids and every response to a submit is lost. */
  losesResponses: boolean;
  closes: number;
  /** What a cancel achieves; `stopped` also ends the job. */
  cancelOutcome: Awaited<ReturnType<Engine['cancel']>>;
}

export function createScriptedEngine(): ScriptedEngine {
  const jobIdOf = (operation: Record<string, string | number>): string => String(operation['jobId']);
  const requireUp = (): void => {
    if (!engine.isUp) throw new Error('the engine does not respond');
  };
  const engine: ScriptedEngine = {
    jobs: new Map(),
    submitted: [],
    prompts: new Map(),
    polls: 0,
    cancelled: [],
    slots: 1,
    problems: [],
    isUp: true,
    refuses: null,
    losesResponses: false,
    closes: 0,
    cancelOutcome: 'stopped',
    describe: async () => {
      requireUp();
      return { engine: 'scripted', version: '1', slots: engine.slots, models: null, problems: engine.problems };
    },
    operationFor: (jobId) => (engine.losesResponses ? null : { jobId }),
    submit: async ({ jobId }: RenderRequest) => {
      requireUp();
      if (engine.refuses) throw new SubmitRefused(engine.refuses);
      engine.submitted.push(jobId);
      engine.jobs.set(jobId, { state: 'running', progress: 1 });
      if (engine.losesResponses) throw new Error('the connection broke');
      return { jobId };
    },
    poll: async (operation) => {
      engine.polls += 1;
      requireUp();
      return engine.jobs.get(jobIdOf(operation)) ?? { state: 'lost' };
    },
    fetchOutput: async () => Readable.from([Buffer.from('what was rendered')]),
    cancel: async (operation) => {
      requireUp();
      engine.cancelled.push(jobIdOf(operation));
      if (engine.cancelOutcome === 'stopped') engine.jobs.delete(jobIdOf(operation));
      return engine.cancelOutcome;
    },
    discard: async (operation) => {
      requireUp();
      engine.jobs.delete(jobIdOf(operation));
    },
    jobsSince: async (_moment, request) => {
      requireUp();
      if (!engine.losesResponses) return [];
      const mayBeOf = (jobId: string) => !request || (engine.prompts.get(jobId) ?? request.prompt) === request.prompt;
      return [...engine.jobs.keys()].filter(mayBeOf).map((jobId) => ({ jobId }));
    },
    health: async () => (engine.isUp ? { isReady: true } : { isReady: false, reason: 'it is down' }),
    close: async () => {
      engine.closes += 1;
    },
  };
  return engine;
}
