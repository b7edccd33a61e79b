import { setTimeout as pause } from 'node:timers/promises';
import { InputRejected, SubmitRefused } from '../../errors.ts';
import type { Engine, EngineOperation, EngineParameters, JobState, RenderRequest } from '../engine.ts';
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

/** vLLM-Omni answers a DELETE when it has aborted the job, or after four seconds. */
const deleteMilliseconds = 10_000;
const idleTries = 10;
const idleEveryMilliseconds = 100;
const listedJobs = 50;
/** How far the engine's clock may lie behind ours. */
const clockSkewSeconds = 5;

interface OpenAiVideosOptions {
  url: string;
  token: string | null;
  slots: number;
  dialect: OpenAiVideosDialectName;
  /** The name under which the server serves the model; null to leave it to the server. */
  model: string | null;
}

/** Reaches a server that speaks OpenAI's `/v1/videos`: SGLang, vLLM-Omni or FastVideo. */
export function createOpenAiVideosEngine({ url, token, slots, dialect, model }: OpenAiVideosOptions): Engine {
  const http = createEngineHttp({ url, token });
  const { ownedBy, versionPath, computesQueued, requestGauges, encode } = openAiVideosDialects[dialect];

  async function poll(operation: EngineOperation): Promise<JobState> {
    const { status, answer } = await http.ask(jobPath(operation));
    const job = status === 200 || status >= 400 ? parseJob(answer, jobIdOf(operation), computesQueued) : null;
    // vLLM-Omni answers for a failed job with a 4xx or 5xx, and the job as the body.
    if (job && (status === 200 || job.state === 'failed')) return job;
    if (status === 404) return { state: 'lost' };
    throw unexpected('a poll', status);
  }

  async function remove(operation: EngineOperation): Promise<void> {
    const { status } = await http.ask(jobPath(operation), {
      method: 'DELETE',
      timeoutMilliseconds: deleteMilliseconds,
    });
    // vLLM-Omni answers 409 while it still cancels: whoever asked asks again.
    if (status !== 200 && status !== 404) throw unexpected('a delete', status);
  }

  /** How many requests are inside the engine by its own count; null where it does not count them. */
  async function countRequests(): Promise<number | null> {
    // With several slots the count says nothing about one job.
    if (requestGauges === null || slots !== 1) return null;
    const { status, text } = await http.ask('/metrics');
    if (status === 404) return null;
    if (status !== 200) throw unexpected('a look at its metrics', status);
    return sumGauges(text, requestGauges);
  }

  async function becomesIdle(): Promise<boolean> {
    for (let tries = 0; tries < idleTries; tries++) {
      if ((await countRequests()) === 0) return true;
      await pause(idleEveryMilliseconds);
    }
    return false;
  }

  async function askVersion(): Promise<string> {
    if (versionPath === null) return 'unknown';
    const { status, answer } = await http.ask(versionPath);
    return status === 200 ? parseVersion(answer) : 'unknown';
  }

  return {
    async describe() {
      const { status, answer } = await http.ask('/v1/models');
      if (status !== 200) throw unexpected('a question for its models', status);
      const served = parseModels(answer);
      const problems = [];
      const isOf = Object.entries(openAiVideosDialects).find(([, { ownedBy }]) => ownedBy === served.ownedBy)?.[0];
      if (served.ownedBy !== ownedBy && isOf !== undefined) {
        problems.push(`The server is ${isOf}: change "dialect: ${dialect}" of its pool to "dialect: ${isOf}".`);
      }
      if (model !== null && !served.names.includes(model)) {
        const [name] = served.names;
        const advice = name === undefined ? 'load the model into it' : `change it to "model: ${name}"`;
        problems.push(`The server does not serve what "model: ${model}" of its pool says: ${advice}.`);
      }
      return { engine: dialect, version: await askVersion(), slots, models: served.names, problems };
    },

    operationFor: () => null,

    async submit(request, signal) {
      const { body, headers } = await encode(fieldsFor(request, model), request.image);
      const { status, answer } = await http.submit('/v1/videos', { method: 'POST', body, headers, signal });
      if (status >= 200 && status < 300) return parseCreated(answer);
      if ([400, 413, 422].includes(status)) throw new InputRejected('the engine cannot render this input');
      if (status === 429) throw new SubmitRefused('busy');
      // Dead workers behind a living server, a wrong token, another kind of server: nothing took the job.
      if ([401, 403, 404, 405, 503].includes(status)) {
        throw new SubmitRefused('unreachable', { cause: unexpected('a submit', status) });
      }
      throw unexpected('a submit', status);
    },

    async jobsSince(moment) {
      const { status, answer } = await http.ask(`/v1/videos?limit=${listedJobs}&order=desc`);
      if (status !== 200) throw unexpected('a question for its jobs', status);
      return parseJobsSince(answer, moment.getTime() / 1000 - clockSkewSeconds);
    },

    poll,

    // Whatever URL the answers name, the file is fetched here and nowhere else.
    fetchOutput: (operation) => http.download(`${jobPath(operation)}/content`),

    async cancel(operation) {
      const { state } = await poll(operation);
      if (state === 'succeeded' || state === 'failed') {
        await remove(operation);
        return 'stopped';
      }
      const requests = await countRequests();
      if (state === 'lost') {
        // An error keeps the slot taken: `forgotten` would free it after a while, computing or not.
        if (requests !== null && requests > 0) throw new Error('the engine forgot the job and computes on');
        return requests === 0 ? 'stopped' : 'forgotten';
      }
      // Where nothing could tell afterwards that the engine is idle (a count of 0 beside a job that has not ended counts
      // nothing), the job stays known and is polled to its end.
      if (requests === null || requests === 0) return 'unsupported';
      await remove(operation);
      if (!(await becomesIdle())) throw new Error('the engine was asked to stop and computes on');
      return 'stopped';
    },

    discard: remove,

    async health() {
      const { status } = await http.ask('/health');
      return status === 200 ? { isReady: true } : { isReady: false, reason: `it answers with status ${status}` };
    },

    close: () => http.close(),
  };
}

/** Size and frames are said explicitly, and in every way that one of the servers reads. The operator's settings come last. */
function fieldsFor(request: RenderRequest, model: string | null): EngineParameters {
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
