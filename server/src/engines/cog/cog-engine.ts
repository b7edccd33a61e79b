import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../domain/clock.ts';
import type { AttemptFailureCode, RejectionCode } from '../../domain/failure.ts';
import { InputRejected, OutputInvalid, SubmitRefused } from '../../errors.ts';
import type { CancelOutcome, Engine, EngineOperation, JobState } from '../engine.ts';
import { createEngineHttp, fieldsOf, unexpected } from '../engine-http.ts';
import { type CogInputField, inputOf, nameInputs, problemsOfInputs } from './cog-inputs.ts';
import { createCogMemory } from './cog-memory.ts';
import { type CogStatus, healthOf, parseInputNames, parseStatus, parseVersion } from './cog-responses.ts';

/** The reports of a Cog server about its jobs: it calls back and cannot be queried about a job. */
export interface CogReports {
  /** Returns the URL where the server may report on this job, and on no other. */
  callbackUrlFor(jobId: string): string;
  /** Returns the newest report; the first one of an end is never replaced. */
  find(jobId: string): Promise<CogReport | null>;
  /** Returns the output of a job that has succeeded; null if there is none. */
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
  /** Must be 1, because a server does not say which of several jobs runs; `describe` reports any other number. */
  slots?: number | undefined;
  /** The predictor's names if they differ from the usual ones; null for an input that it does not have. */
  inputs?: Partial<Record<CogInputField, string | null | undefined>> | undefined;
  reports: CogReports;
  clock: Clock;
}

/** How long a server must be idle, without a report about a job, before the job counts as lost. */
const lostAfterMilliseconds = 10_000;
/** A server that has just finished a job may report itself busy for another moment. */
const busyPausesMilliseconds = [100, 200, 400];
const stopMilliseconds = 900;
const stopPollMilliseconds = 100;

/**
 * Reaches any Cog server. It has one slot and no other client, so BUSY means that it runs our job. No prediction is PUT
 * twice: the server would run it again if it had already ended.
 */
export function createCogEngine({ url, token, slots = 1, reports, clock, ...options }: CogOptions): Engine {
  const http = createEngineHttp({ url, token });
  const inputs = nameInputs(options.inputs);
  const memory = createCogMemory();

  async function fetchHealth(): Promise<{ status: CogStatus; json: unknown }> {
    const { status, json } = await http.request('/health-check');
    if (status !== 200) throw unexpected('a health check', status);
    return { status: parseStatus(json), json };
  }

  async function put(jobId: string, body: string, signal: AbortSignal) {
    const once = () =>
      http.submit(predictionPath(jobId), { method: 'PUT', body, headers: { prefer: 'respond-async' }, signal });
    let response = await once();
    for (const pauseMilliseconds of busyPausesMilliseconds) {
      if (response.status !== 409) break;
      await pause(pauseMilliseconds);
      if (signal.aborted) break; // another try would have an unknown outcome
      response = await once(); // a server that responds with 409 took nothing, so this does not submit twice
    }
    return response;
  }

  /** Judges a job whose end was not reported, by the server's status. */
  function judge(jobId: string, status: CogStatus, report: (CogReport & { state: 'running' }) | null): JobState {
    const progress = report?.progress ?? null;
    switch (status) {
      case 'UNHEALTHY':
      case 'DEFUNCT':
      case 'SETUP_FAILED':
        return { state: 'failed', code: 'engine_crashed', reason: `the server is ${status}` };
      case 'STARTING':
        return { state: 'lost' }; // a server that starts has no jobs from before
      case 'BUSY':
        memory.noteBusy(jobId);
        return { state: 'running', progress };
      case 'READY':
        return memory.noteIdle(jobId, clock.now(), report?.heardAt) < lostAfterMilliseconds
          ? { state: 'running', progress }
          : { state: 'lost' };
    }
  }

  async function requestStop(jobId: string): Promise<'requested' | 'unknown'> {
    const { status } = await http.request(`${predictionPath(jobId)}/cancel`, { method: 'POST' });
    if (status !== 200 && status !== 404) throw unexpected('a cancel', status);
    return status === 200 ? 'requested' : 'unknown';
  }

  async function isKnownToBeOver(jobId: string): Promise<boolean> {
    if (memory.isOver(jobId)) return true;
    const report = await reports.find(jobId);
    return report !== null && report.state !== 'running';
  }

  /** Waits for the end and repeats the cancel: Cog lost one in five that came within 10 ms of the submit. */
  async function hasStopped(jobId: string): Promise<boolean> {
    const until = performance.now() + stopMilliseconds;
    for (;;) {
      const report = await reports.find(jobId);
      if (report && report.state !== 'running') return true;
      if ((await fetchHealth()).status !== 'BUSY') return true;
      if (performance.now() > until) return false;
      await pause(stopPollMilliseconds);
      await requestStop(jobId);
    }
  }

  return {
    async describe() {
      const [index, health, schema] = await Promise.all([
        http.request('/'),
        fetchHealth(),
        http.request('/openapi.json'),
      ]);
      if (index.status !== 200) throw unexpected('a description', index.status);
      const known = schema.status === 200 ? parseInputNames(schema.json) : null; // a server need not have a schema
      const problems = known ? problemsOfInputs(inputs, known) : [];
      if (slots !== 1) {
        problems.push(
          'A Cog server does not say which of several jobs is running: in the models file, remove slots or set it to 1.',
        );
      }
      return { engine: 'cog', version: parseVersion(index.json, health.json), slots: 1, models: null, problems };
    },

    operationFor: (jobId) => ({ jobId }),

    async submit(request, signal) {
      const { jobId } = request;
      const body = JSON.stringify({
        input: inputOf(inputs, request),
        webhook: reports.callbackUrlFor(jobId),
        webhook_events_filter: ['start', 'logs', 'completed'],
      });
      const { status, json } = await put(jobId, body, signal);
      if (status === 202) return { jobId };
      // A proxy may respond with 503 for any reason; Cog's own 503 says that the job failed before it began.
      const isRefused = (status >= 400 && status < 500) || (status === 503 && saysFailed(json));
      if (!isRefused) throw unexpected('a submit', status);
      memory.noteOver(jobId);
      if (status === 422 || status === 413) throw new InputRejected('the engine cannot render this input');
      const kind = status === 409 || status === 429 ? 'busy' : 'unreachable';
      throw new SubmitRefused(kind, { cause: unexpected('a submit', status) });
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
          return judge(jobId, (await fetchHealth()).status, report ?? null);
      }
    },

    async fetchOutput(operation) {
      const output = await reports.read(jobIdOf(operation));
      if (!output) throw new OutputInvalid('the engine sent no output');
      return output;
    },

    async cancel(operation): Promise<CancelOutcome> {
      const jobId = jobIdOf(operation);
      const outcome = await requestStop(jobId);
      // A job that the server does not know may still arrive: only what we know of its end shows that it never will.
      const isStopped = outcome === 'requested' ? await hasStopped(jobId) : await isKnownToBeOver(jobId);
      if (!isStopped) return outcome === 'requested' ? 'unsupported' : 'forgotten';
      memory.noteOver(jobId);
      return 'stopped';
    },

    async discard(operation) {
      const jobId = jobIdOf(operation);
      memory.noteOver(jobId);
      await reports.forget(jobId);
    },

    health: async () => healthOf((await fetchHealth()).status),

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

function saysFailed(json: unknown): boolean {
  return typeof json === 'object' && json !== null && fieldsOf(json)['status'] === 'failed';
}
