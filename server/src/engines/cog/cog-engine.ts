import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, systemClock } from '../../domain/clock.ts';
import type { AttemptFailureCode, RejectionCode } from '../../domain/failure.ts';
import { InputRejected, OutputInvalid, SubmitRefused } from '../../errors.ts';
import type { CancelOutcome, Engine, EngineOperation, JobState } from '../engine.ts';
import { createEngineHttp, fieldsOf, unexpected } from '../engine-http.ts';
import { type CogInputField, inputOf, nameInputs, problemsOfInputs } from './cog-inputs.ts';
import { createCogMemory } from './cog-memory.ts';
import { type CogStatus, healthOf, parseInputNames, parseStatus, parseVersion } from './cog-responses.ts';

/** What a Cog server told of a job: it calls back and cannot be asked. */
export interface CogReports {
  /** Where the server may tell of this job, and of no other. */
  callbackUrlFor(jobId: string): string;
  /** The newest word; the first one on an end stays. */
  find(jobId: string): Promise<CogReport | null>;
  /** The output of a job that has succeeded; null where there is none. */
  read(jobId: string): Promise<Readable | null>;
  forget(jobId: string): Promise<void>;
}

export type CogReport =
  | { state: 'running'; progress: number | null; heardAt: Date }
  | { state: 'succeeded' }
  | { state: 'failed'; code: AttemptFailureCode | RejectionCode; reason: string }
  | { state: 'cancelled' };

interface CogOptions {
  url: string;
  token?: string | null | undefined;
  /** More than one cannot be told apart here, which `describe` says. */
  slots?: number | undefined;
  /** The predictor's names where they differ from the usual ones; null for an input that it does not have. */
  inputs?: Partial<Record<CogInputField, string | null | undefined>> | undefined;
  reports: CogReports;
  clock?: Clock | undefined;
}

/** How long a server must be idle, with nothing heard of a job, before the job counts as lost. */
const lostAfterMilliseconds = 10_000;
/** A server that has just ended a job may call itself busy for a moment. */
const busyPausesMilliseconds = [100, 200, 400];
const stopMilliseconds = 900;
const pollAgainMilliseconds = 100;

/**
 * Any Cog server. It has one slot and no other client, so BUSY means our job. A prediction is never put twice: put again after its
 * end it would run again.
 */
export function createCogEngine({
  url,
  token,
  slots = 1,
  reports,
  clock = systemClock,
  ...options
}: CogOptions): Engine {
  const http = createEngineHttp({ url, token });
  const inputs = nameInputs(options.inputs);
  const memory = createCogMemory();

  async function askHealth(): Promise<{ status: CogStatus; answer: unknown }> {
    const { status, answer } = await http.ask('/health-check');
    if (status !== 200) throw unexpected('a health check', status);
    return { status: parseStatus(answer), answer };
  }

  async function put(jobId: string, body: string, signal: AbortSignal) {
    const once = () =>
      http.submit(predictionPath(jobId), { method: 'PUT', body, headers: { prefer: 'respond-async' }, signal });
    let answer = await once();
    for (const pauseMilliseconds of busyPausesMilliseconds) {
      if (answer.status !== 409) break;
      await pause(pauseMilliseconds);
      if (signal.aborted) break; // another try would end as one of which nobody knows
      answer = await once(); // a 409 took nothing, so to put once more is not to put twice
    }
    return answer;
  }

  /** What the server's status says of a job whose end nobody was told of. */
  function judge(jobId: string, status: CogStatus, report: (CogReport & { state: 'running' }) | null): JobState {
    const progress = report?.progress ?? null;
    switch (status) {
      case 'UNHEALTHY':
      case 'DEFUNCT':
      case 'SETUP_FAILED':
        return { state: 'failed', code: 'engine_crashed', reason: `the server is ${status}` };
      case 'STARTING':
        return { state: 'lost' }; // what it had before, it does not have now
      case 'BUSY':
        memory.noteBusy(jobId);
        return { state: 'running', progress };
      case 'READY':
        return memory.noteIdle(jobId, clock.now(), report?.heardAt) < lostAfterMilliseconds
          ? { state: 'running', progress }
          : { state: 'lost' };
    }
  }

  async function askToStop(jobId: string): Promise<'asked' | 'unknown'> {
    const { status } = await http.ask(`${predictionPath(jobId)}/cancel`, { method: 'POST' });
    if (status !== 200 && status !== 404) throw unexpected('a cancel', status);
    return status === 200 ? 'asked' : 'unknown';
  }

  /** Waits a moment for the job to be over, and asks again: of those sent within 10 ms of the job, each fifth was forgotten. */
  async function hasStopped(jobId: string): Promise<boolean> {
    const until = performance.now() + stopMilliseconds;
    for (;;) {
      const report = await reports.find(jobId);
      if (report && report.state !== 'running') return true;
      if ((await askHealth()).status !== 'BUSY') return true;
      if (performance.now() > until) return false;
      await pause(pollAgainMilliseconds);
      await askToStop(jobId);
    }
  }

  return {
    async describe() {
      const [index, health, schema] = await Promise.all([http.ask('/'), askHealth(), http.ask('/openapi.json')]);
      if (index.status !== 200) throw unexpected('a description', index.status);
      const known = schema.status === 200 ? parseInputNames(schema.answer) : null; // a server need not have a schema
      const problems = known ? problemsOfInputs(inputs, known) : [];
      if (slots !== 1) {
        problems.push(
          'A Cog server does not say which of several jobs runs. In the models file, leave out slots or set 1.',
        );
      }
      return { engine: 'cog', version: parseVersion(index.answer, health.answer), slots: 1, models: null, problems };
    },

    operationFor: (jobId) => ({ jobId }),

    async submit(request, signal) {
      const { jobId } = request;
      const body = JSON.stringify({
        input: inputOf(inputs, request),
        webhook: reports.callbackUrlFor(jobId),
        webhook_events_filter: ['start', 'logs', 'completed'],
      });
      const { status, answer } = await put(jobId, body, signal);
      if (status === 202) return { jobId };
      // A proxy may answer with 503 for whatever reason; Cog's own says that the job failed, before it began.
      const isRefused = (status >= 400 && status < 500) || (status === 503 && saysFailed(answer));
      if (!isRefused) throw unexpected('a submit', status);
      memory.noteOver(jobId);
      if (status === 422 || status === 413) throw new InputRejected('the engine cannot render this input');
      throw new SubmitRefused(status === 409 ? 'busy' : 'unreachable', { cause: unexpected('a submit', status) });
    },

    jobsSince: async () => [],

    async poll(operation) {
      const jobId = jobIdOf(operation);
      const report = await reports.find(jobId);
      switch (report?.state) {
        case 'succeeded':
          return { state: 'succeeded', isStored: true };
        case 'failed':
          return report;
        case 'cancelled':
          return { state: 'lost' };
        case 'running':
        case undefined:
          if (memory.isOver(jobId)) return { state: 'lost' };
          return judge(jobId, (await askHealth()).status, report ?? null);
      }
    },

    async fetchOutput(operation) {
      const output = await reports.read(jobIdOf(operation));
      if (!output) throw new OutputInvalid('the engine handed no output over');
      return output;
    },

    async cancel(operation): Promise<CancelOutcome> {
      const jobId = jobIdOf(operation);
      const answer = await askToStop(jobId);
      // Unknown: it never came or has ended, unless it is still on its way.
      const isStopped = answer === 'asked' ? await hasStopped(jobId) : (await askHealth()).status === 'READY';
      if (!isStopped) return answer === 'asked' ? 'unsupported' : 'forgotten';
      memory.noteOver(jobId);
      return 'stopped';
    },

    async discard(operation) {
      const jobId = jobIdOf(operation);
      memory.noteOver(jobId);
      await reports.forget(jobId);
    },

    health: async () => healthOf((await askHealth()).status),

    close: () => http.close(),
  };
}

function jobIdOf(operation: EngineOperation): string {
  const jobId = operation['jobId'];
  if (typeof jobId !== 'string' || jobId === '') throw new Error('the operation names no job');
  return jobId;
}

function predictionPath(jobId: string): string {
  return `/predictions/${encodeURIComponent(jobId)}`;
}

function saysFailed(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && fieldsOf(answer)['status'] === 'failed';
}
