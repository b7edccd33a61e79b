import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../domain/clock.ts';
import { InputRejected, SubmitRefused } from '../../errors.ts';
import type { ComparableRequest, Engine, EngineOperation, EngineParameters, JobState } from '../engine.ts';
import { createEngineHttp, unexpected } from '../engine-http.ts';
import { type OpenAiVideosDialectName, openAiVideosDialects } from './openai-videos-dialect.ts';
import {
  jobIdOf,
  parseCreated,
  parseJob,
  parseJobsSince,
  parseModels,
  parseVersion,
  sumGauges,
} from './openai-videos-responses.ts';

/** vLLM-Omni responds to a DELETE when it has aborted the job, or after four seconds. */
const deleteMilliseconds = 10_000;
const idleTries = 10;
const idleEveryMilliseconds = 100;
const listedJobs = 50;
/** 5 s: the list has whole seconds, and a slow response tells the engine's time late. */
const clockSkewMilliseconds = 5_000;

interface OpenAiVideosOptions {
  url: string;
  token: string | null;
  slots: number;
  clock: Clock;
  dialect: OpenAiVideosDialectName;
  /** The name under which the server serves the model; null to leave it to the server. */
  model: string | null;
}

/** Reaches a server with OpenAI's `/v1/videos` API: SGLang, vLLM-Omni or FastVideo. */
export function createOpenAiVideosEngine({ url, token, slots, clock, dialect, model }: OpenAiVideosOptions): Engine {
  const http = createEngineHttp({ url, token });
  const { ownedBy, versionPath, computesQueued, requestGauges, encode } = openAiVideosDialects[dialect];

  async function poll(operation: EngineOperation): Promise<JobState> {
    const { status, json } = await http.request(jobPath(operation));
    const job = status === 200 || status >= 400 ? parseJob(json, jobIdOf(operation), computesQueued) : null;
    // For a failed job, vLLM-Omni responds with a 4xx or 5xx and the job as the body.
    if (job && (status === 200 || job.state === 'failed')) return job;
    if (status === 404) return { state: 'lost' };
    throw unexpected('a poll', status);
  }

  async function remove(operation: EngineOperation): Promise<void> {
    const { status } = await http.request(jobPath(operation), {
      method: 'DELETE',
      timeoutMilliseconds: deleteMilliseconds,
    });
    // vLLM-Omni responds with 409 while it is still cancelling: the caller retries.
    if (status !== 200 && status !== 404) throw unexpected('a delete', status);
  }

  /** Returns how many requests the engine itself counts as unfinished; null if it does not count them. */
  async function countRequests(): Promise<number | null> {
    // With several slots the count says nothing about one job.
    if (requestGauges === null || slots !== 1) return null;
    const { status, text } = await http.request('/metrics');
    if (status === 404) return null;
    if (status !== 200) throw unexpected('a request for its metrics', status);
    return sumGauges(text, requestGauges);
  }

  async function becomesIdle(): Promise<boolean> {
    for (let tries = 0; tries < idleTries; tries++) {
      if ((await countRequests()) === 0) return true;
      await pause(idleEveryMilliseconds);
    }
    return false;
  }

  async function fetchVersion(): Promise<string> {
    if (versionPath === null) return 'unknown';
    const { status, json } = await http.request(versionPath);
    return status === 200 ? parseVersion(json) : 'unknown';
  }

  return {
    async describe() {
      const { status, json } = await http.request('/v1/models');
      if (status !== 200) throw unexpected('a request for its models', status);
      const served = parseModels(json);
      const problems = [];
      const isOf = Object.entries(openAiVideosDialects).find(([, { ownedBy }]) => ownedBy === served.ownedBy)?.[0];
      if (served.ownedBy !== ownedBy && isOf !== undefined) {
        problems.push(`The server is ${isOf}: change "dialect: ${dialect}" of its pool to "dialect: ${isOf}".`);
      }
      if (model !== null && !served.names.includes(model)) {
        const [name] = served.names;
        const advice = name === undefined ? 'load the model into it' : `change it to "model: ${name}"`;
        problems.push(`The server does not serve "model: ${model}" of its pool: ${advice}.`);
      }
      return { engine: dialect, version: await fetchVersion(), slots, models: served.names, problems };
    },

    operationFor: () => null,

    async submit(request, signal) {
      const { body, headers } = await encode(fieldsFor(request, model), request.image);
      const { status, json } = await http.submit('/v1/videos', { method: 'POST', body, headers, signal });
      if (status >= 200 && status < 300) return parseCreated(json);
      if ([400, 413, 422].includes(status)) throw new InputRejected('the engine cannot render this input');
      if (status === 429) throw new SubmitRefused('busy');
      // Its workers are dead, the token is wrong, or it is another kind of server: nothing took the job.
      if ([401, 403, 404, 405, 503].includes(status)) {
        throw new SubmitRefused('unreachable', { cause: unexpected('a submit', status) });
      }
      throw unexpected('a submit', status);
    },

    async jobsSince(moment, request) {
      const { status, json, engineTime } = await http.request(`/v1/videos?limit=${listedJobs}&order=desc`);
      if (status !== 200) throw unexpected('a request for its jobs', status);
      // The list has the times of the engine's clock, which may be minutes off, so the moment is converted to it.
      const now = clock.now().getTime();
      const sinceMilliseconds = (engineTime ?? now) - (now - moment.getTime()) - clockSkewMilliseconds;
      return parseJobsSince(json, sinceMilliseconds / 1000, request ? fieldsFor(request, model) : {});
    },

    poll,

    // The file is fetched only from here, whatever URL a response names.
    fetchOutput: (operation) => http.download(`${jobPath(operation)}/content`),

    async cancel(operation) {
      const { state } = await poll(operation);
      if (state === 'succeeded' || state === 'failed') {
        await remove(operation);
        return 'stopped';
      }
      const requests = await countRequests();
      if (state === 'lost') {
        // An error keeps the slot taken; `forgotten` would free it after a while even if the engine still computes.
        if (requests !== null && requests > 0) throw new Error('the engine forgot the job but is still computing');
        return requests === 0 ? 'stopped' : 'forgotten';
      }
      // After a DELETE only the count shows that it is idle; 0 beside an unfinished job means that it does not count.
      if (requests === null || requests === 0) return 'unsupported';
      await remove(operation);
      if (!(await becomesIdle())) throw new Error('the engine was told to stop but is still computing');
      return 'stopped';
    },

    discard: remove,

    async health() {
      const { status } = await http.request('/health');
      return status === 200 ? { isReady: true } : { isReady: false, reason: `it responds with status ${status}` };
    },

    close: () => http.close(),
  };
}

/** A submit's fields: size and frames in every form that a server reads; the operator's parameters override all. */
function fieldsFor(request: ComparableRequest, model: string | null): EngineParameters {
  const { prompt, negativePrompt, seed, width, height, fps, frameCount, parameters } = request;
  return {
    prompt,
    ...(negativePrompt === null ? {} : { negative_prompt: negativePrompt }),
    ...(model === null ? {} : { model }),
    size: `${width}x${height}`,
    width,
    height,
    num_frames: frameCount,
    fps,
    seed,
    ...parameters,
  };
}

function jobPath(operation: EngineOperation): string {
  return `/v1/videos/${encodeURIComponent(jobIdOf(operation))}`;
}
