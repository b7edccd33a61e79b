import { Readable } from 'node:stream';
import type { Engine, EngineOperation, JobState } from '../server/src/engines/engine.ts';
import { OutputInvalid, SubmitRefused } from '../server/src/errors.ts';
import type { Process, Turns } from './scheduler.ts';

/** How long the response to a poll takes while the job runs. Every poll is a step. */
const responseMilliseconds = 200;

interface Job {
  state: JobState;
  startedAt: number;
  renderMilliseconds: number;
  hasOutput: boolean;
}

/**
 * An engine of a world. Its jobs take virtual time, whoever watches them. A prompt says what becomes of its job: `fails`,
 * `fails once`, `stalls`, `loses its output`, `is refused`, `takes 30 s`.
 */
export class SimulatedEngine {
  readonly jobs = new Map<string, Job>();
  readonly submitted: string[] = [];
  readonly slots: number;
  isUp = true;
  /** How many jobs it got although all of its slots were busy. */
  overfull = 0;
  readonly #turns: Turns;

  constructor(turns: Turns, { slots = 1 } = {}) {
    this.#turns = turns;
    this.slots = slots;
  }

  /** How many jobs it computes right now. */
  busy(): number {
    return [...this.jobs.keys()].filter((id) => this.#stateOf(id).state === 'running').length;
  }

  /** It restarts and has forgotten every job. */
  restart(): void {
    this.jobs.clear();
  }

  #forget(operation: EngineOperation): void {
    if (this.jobs.delete(String(operation['jobId']))) this.#turns.changes += 1;
  }

  #stateOf(id: string): JobState {
    const job = this.jobs.get(id);
    if (!job) return { state: 'lost' };
    if (job.state.state !== 'running') return job.state;
    const progress = (100 * (this.#turns.milliseconds - job.startedAt)) / job.renderMilliseconds;
    return progress >= 100 ? { state: 'succeeded' } : { state: 'running', progress: Math.floor(progress) };
  }

  /** Returns the engine as one process reaches it. */
  engineFor(process: Process, name: string): Engine {
    const clock = this.#turns.clockOf(process);
    const stateOf = (id: string): JobState => this.#stateOf(id);
    const idOf = (operation: EngineOperation): string => String(operation['jobId']);
    const call = <T>(what: string, effect: () => T): Promise<T> =>
      this.#turns.call(process, `${name} ${what}`, () => {
        if (!this.isUp) throw new Error('the engine does not respond');
        return effect();
      });
    return {
      describe: () =>
        call('describe', () => ({ engine: 'simulated', version: '1', slots: this.slots, models: null, problems: [] })),
      operationFor: (jobId) => ({ jobId }),
      submit: ({ jobId, prompt }) =>
        call(`submit ${jobId}`, () => {
          const isFirst = jobId.endsWith('-1');
          if (prompt.includes('is refused') && isFirst) throw new SubmitRefused('busy');
          this.submitted.push(jobId);
          if (this.busy() >= this.slots) this.overfull += 1;
          const fails = prompt.includes('fails') && (isFirst || !prompt.includes('fails once'));
          const state: JobState = fails
            ? { state: 'failed', code: 'engine_crashed', reason: 'as its prompt says' }
            : { state: 'running', progress: 0 };
          const [, seconds = '2'] = /takes (\d+) s/.exec(prompt) ?? [];
          this.#turns.changes += 1;
          this.jobs.set(jobId, {
            state,
            startedAt: this.#turns.milliseconds,
            renderMilliseconds:
              prompt.includes('stalls') && isFirst ? Number.POSITIVE_INFINITY : 1_000 * Number(seconds),
            hasOutput: !prompt.includes('loses its output'),
          });
          return { jobId };
        }),
      async poll(operation) {
        const state = await call(`poll ${idOf(operation)}`, () => stateOf(idOf(operation)));
        if (state.state === 'running') await clock.wait(responseMilliseconds);
        return state;
      },
      fetchOutput: (operation) =>
        call(`fetch ${idOf(operation)}`, () => {
          if (!this.jobs.get(idOf(operation))?.hasOutput) throw new OutputInvalid('there is none');
          return Readable.from([Buffer.from(`video of ${idOf(operation)}`)]);
        }),
      cancel: (operation) =>
        call(`cancel ${idOf(operation)}`, () => {
          this.#forget(operation);
          return 'stopped' as const;
        }),
      discard: (operation) => call(`discard ${idOf(operation)}`, () => this.#forget(operation)),
      jobsSince: () => call('jobs', () => []),
      health: () => call('health', () => ({ isReady: true as const })),
      close: async () => undefined,
    };
  }
}
