import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { InputRejected, OutputInvalid, SubmitRefused } from '../../errors.ts';
import type { CancelOutcome, Engine, EngineOperation, RenderRequest } from '../engine.ts';
import { createEngineHttp, fieldsOf, unexpected } from '../engine-http.ts';
import { shortReason } from '../failure-of-text.ts';
import { buildComfyGraph, checkFit } from './build-comfyui-graph.ts';
import { checkComfyTemplate } from './check-comfyui-template.ts';
import { type ComfyJob, parseJob, parseOutput, parseUpload, parseVersion } from './comfyui-responses.ts';
import { createComfySocket } from './comfyui-socket.ts';
import type { ComfyTemplate } from './comfyui-template.ts';

interface ComfyEngineOptions {
  url: string;
  token: string | null;
  slots: number;
  templates: { textToVideo: ComfyTemplate | null; imageToVideo: ComfyTemplate | null };
}

const uploadMilliseconds = 20_000;
/** Long enough for a sampler's step, too short for the end of an encoding, which nothing interrupts. */
const stopMilliseconds = 800;
const stopEveryMilliseconds = 40;
/** Where our files lie in the server's folders `input` and `output`. */
const folder = 'kinora';
const maximumCancels = 1_000;

/** Reaches a ComfyUI server: each job is a graph template of the operator's with the job's values filled in. */
export function createComfyEngine({ url, token, slots, templates }: ComfyEngineOptions): Engine {
  const http = createEngineHttp({ url, token });
  const socket = createComfySocket({ url, token });
  const present = Object.values(templates).filter((template) => template !== null);
  /** Jobs that we took out of the queue: the server forgets them, as it forgets all after a restart. */
  const stopped = new Set<string>();

  /** What the server knows of a job; null where it certainly knows nothing. */
  async function find(promptId: string, signal?: AbortSignal): Promise<ComfyJob | null> {
    const { status, answer } = await http.ask(`/api/jobs/${promptId}`, { signal });
    // Only its own words count: another 404 comes from something in front of it.
    if (status === 404 && typeof fieldsOf(answer)['error'] === 'string') return null;
    if (status !== 200) throw unexpected('a poll', status);
    return parseJob(answer, promptId);
  }

  async function post(path: string, body?: unknown): Promise<number> {
    return (await http.ask(path, { method: 'POST', body: body === undefined ? undefined : JSON.stringify(body) }))
      .status;
  }

  async function upload(promptId: string, image: Uint8Array, signal: AbortSignal): Promise<string> {
    const form = new FormData();
    form.set('subfolder', folder);
    form.set('overwrite', 'true');
    form.set('image', new File([Buffer.from(image)], `${promptId}.png`, { type: 'image/png' }));
    const encoded = new Response(form);
    const { status, answer } = await http.ask('/upload/image', {
      method: 'POST',
      body: Buffer.from(await encoded.arrayBuffer()),
      headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
      signal,
      timeoutMilliseconds: uploadMilliseconds,
    });
    if (status === 413) throw new InputRejected('the image is larger than the engine takes');
    if (status !== 200) throw unexpected('an upload', status);
    return parseUpload(answer);
  }

  /** The graph of a job, with its image at the server; null where the server has the job already. */
  async function prepare(request: RenderRequest, promptId: string, template: ComfyTemplate, signal: AbortSignal) {
    if ((await find(promptId, signal)) !== null) return null;
    const image = request.image && (await upload(promptId, request.image, signal));
    return buildComfyGraph(template, { request, image, filenamePrefix: prefixOf(promptId) });
  }

  async function askToStop(promptId: string): Promise<void> {
    const status = await post(`/api/jobs/${promptId}/cancel`);
    if (status === 200) return;
    if (status !== 404 && status !== 405) throw unexpected('a cancel', status);
    // Older servers. First out of the queue: the other way round, a job that begins in between would be missed by both.
    const both = [await post('/queue', { delete: [promptId] }), await post('/interrupt', { prompt_id: promptId })];
    for (const each of both) if (each !== 200) throw unexpected('a cancel', each);
  }

  async function cancel(operation: EngineOperation): Promise<CancelOutcome> {
    const promptId = promptIdOf(operation);
    if (stopped.has(promptId)) return 'stopped';
    let job = await find(promptId);
    if (job === null) return 'unsupported'; // it may be lost, or on its way: who polls on will see
    if (isUnderWay(job)) await askToStop(promptId);
    const until = performance.now() + stopMilliseconds;
    while (job !== null && isUnderWay(job) && performance.now() < until) {
      await pause(stopEveryMilliseconds);
      job = await find(promptId);
    }
    if (job !== null && job.status !== 'cancelled') return 'unsupported'; // its end shows in poll
    remember(stopped, promptId);
    socket.forget(promptId);
    return 'stopped';
  }

  return {
    async describe() {
      const { status, answer } = await http.ask('/system_stats');
      if (status !== 200) throw unexpected('a description', status);
      const version = parseVersion(answer);
      const problems = describeTemplates(templates);
      if (slots !== 1) problems.push('ComfyUI renders one job at a time: set the slots of this endpoint to 1.');
      const jobs = await http.ask('/api/jobs?limit=1');
      if (jobs.status !== 200) problems.push(`ComfyUI ${version} has no list of jobs: update it to 0.7.0 or newer.`);
      for (const template of new Set(present)) problems.push(...(await checkComfyTemplate(http, template)));
      return { engine: 'comfyui', version, slots, models: null, problems };
    },

    operationFor: (jobId) => ({ promptId: promptIdFor(jobId) }),

    async submit(request, signal) {
      const template = request.image ? templates.imageToVideo : templates.textToVideo;
      if (!template) throw new InputRejected(`there is no template for ${request.image ? 'images' : 'text'} here`);
      checkFit(template, request);
      const promptId = promptIdFor(request.jobId);
      const graph = await prepare(request, promptId, template, signal).catch((error: unknown) => {
        // The job itself was not handed over yet, so it certainly was not taken.
        throw error instanceof InputRejected ? error : new SubmitRefused('unreachable', { cause: error });
      });
      if (graph === null) return { promptId };

      const client_id = await socket.clientId();
      socket.follow(promptId, graph);
      const body = JSON.stringify({ prompt: graph, client_id, prompt_id: promptId });
      const { status, answer } = await http.submit('/prompt', { method: 'POST', body, signal });
      if (status === 400) {
        socket.forget(promptId);
        throw new InputRejected(`the engine refused the graph: ${refusalOf(answer)}`);
      }
      if (status !== 200) throw unexpected('a submit', status);
      const { prompt_id, node_errors } = fieldsOf(answer);
      if (prompt_id !== promptId) throw new Error('the engine took the job under another id');
      if (Object.keys(fieldsOf(node_errors ?? {})).length > 0) {
        // It runs, without the outputs that have errors; there is nothing in it for us.
        await cancel({ promptId }).catch(() => undefined);
        throw new InputRejected('the engine refused a part of the graph');
      }
      return { promptId };
    },

    jobsSince: async () => [],

    async poll(operation) {
      const promptId = promptIdOf(operation);
      const job = await find(promptId);
      if (job?.status === 'pending') return { state: 'waiting' };
      if (job?.status === 'in_progress') return { state: 'running', progress: socket.progressOf(promptId) };
      socket.forget(promptId);
      if (job === null || job.status === 'cancelled') return { state: 'lost' };
      return job.failure ?? { state: 'succeeded' };
    },

    async fetchOutput(operation) {
      const promptId = promptIdOf(operation);
      const job = await find(promptId);
      if (job === null) throw new OutputInvalid('the engine does not know the job any more');
      if (job.status !== 'completed') throw new Error('the engine has not finished the job');
      const nodes = [...new Set(present.map(({ output }) => output))];
      const { filename, subfolder } = parseOutput(job.outputs, nodes, prefixOf(promptId));
      const query = new URLSearchParams({ filename, subfolder, type: 'output' });
      return http.download(`/view?${query.toString()}`);
    },

    cancel,

    /** ComfyUI forgets the job; it has no way to delete files. */
    async discard(operation) {
      const status = await post('/history', { delete: [promptIdOf(operation)] });
      if (status !== 200) throw unexpected('a discard', status);
    },

    async health() {
      const { status } = await http.ask('/prompt');
      return status === 200 ? { isReady: true } : { isReady: false, reason: `it answers with status ${status}` };
    },

    async close() {
      await Promise.all([http.close(), socket.close()]);
    },
  };
}

function describeTemplates({ textToVideo, imageToVideo }: ComfyEngineOptions['templates']): string[] {
  const problems: string[] = [];
  if (!textToVideo && !imageToVideo) problems.push('The endpoint has no template: name one in the models file.');
  if (textToVideo?.bindings.image)
    problems.push(`The template "${textToVideo.name}" needs an image: it cannot serve text to video.`);
  if (imageToVideo && !imageToVideo.bindings.image)
    problems.push(`The template "${imageToVideo.name}" binds no "image": it cannot serve image to video.`);
  return problems;
}

/** ComfyUI takes nothing but a canonical UUID; ours says that it is made from a hash. */
function promptIdFor(jobId: string): string {
  const hash = createHash('sha256').update(`kinora:${jobId}`).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

function promptIdOf(operation: EngineOperation): string {
  const promptId = operation['promptId'];
  if (typeof promptId !== 'string' || !/^[0-9a-f-]{36}$/.test(promptId)) throw new Error('the operation names no job');
  return promptId;
}

function prefixOf(promptId: string): string {
  return `${folder}/${promptId}`;
}

function isUnderWay({ status }: ComfyJob): boolean {
  return status === 'pending' || status === 'in_progress';
}

/** The kind of a refusal; its details hold the caller's words. */
function refusalOf(answer: unknown): string {
  const error = typeof answer === 'object' && answer !== null && 'error' in answer ? answer.error : null;
  return shortReason(typeof error === 'object' && error !== null && 'type' in error ? error.type : null);
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > maximumCancels && oldest !== undefined) ids.delete(oldest);
}
