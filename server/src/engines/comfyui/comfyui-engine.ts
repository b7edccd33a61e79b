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
/** Long enough for one step of a sampler, too short for the end of an encoding, which cannot be interrupted. */
const stopMilliseconds = 800;
const stopEveryMilliseconds = 40;
/** The subfolder for our files in the server's folders `input` and `output`. */
const folder = 'kinora';
const maximumCancels = 1_000;

/** Reaches a ComfyUI server: each job is one of the operator's graph templates with the job's values filled in. */
export function createComfyEngine({ url, token, slots, templates }: ComfyEngineOptions): Engine {
  const http = createEngineHttp({ url, token });
  const socket = createComfySocket({ url, token });
  const present = Object.values(templates).filter((template) => template !== null);
  /** Jobs that we stopped: the server itself forgets a job that is removed from its queue. */
  const stopped = new Set<string>();

  /** Returns what the server knows of a job; null if it certainly knows nothing. */
  async function find(promptId: string, signal?: AbortSignal): Promise<ComfyJob | null> {
    const { status, json } = await http.request(`/api/jobs/${promptId}`, { signal });
    // Only ComfyUI's own 404 has this field; any other comes from a proxy in front of it.
    if (status === 404 && typeof fieldsOf(json)['error'] === 'string') return null;
    if (status !== 200) throw unexpected('a poll', status);
    return parseJob(json, promptId);
  }

  async function post(path: string, body?: unknown): Promise<number> {
    return (await http.request(path, { method: 'POST', body: body === undefined ? undefined : JSON.stringify(body) }))
      .status;
  }

  async function upload(promptId: string, image: Uint8Array, signal: AbortSignal): Promise<string> {
    const form = new FormData();
    form.set('subfolder', folder);
    form.set('overwrite', 'true');
    form.set('image', new File([Buffer.from(image)], `${promptId}.png`, { type: 'image/png' }));
    const encoded = new Response(form);
    const { status, json } = await http.request('/upload/image', {
      method: 'POST',
      body: Buffer.from(await encoded.arrayBuffer()),
      headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
      signal,
      timeoutMilliseconds: uploadMilliseconds,
    });
    if (status === 413) throw new InputRejected('the image is larger than the engine accepts');
    if (status !== 200) throw unexpected('an upload', status);
    return parseUpload(json);
  }

  /** Uploads a job's image and returns its graph; null if the server has the job already. */
  async function prepare(request: RenderRequest, promptId: string, template: ComfyTemplate, signal: AbortSignal) {
    if ((await find(promptId, signal)) !== null) return null;
    const image = request.image && (await upload(promptId, request.image, signal));
    return buildComfyGraph(template, { request, image, filenamePrefix: prefixOf(promptId) });
  }

  async function requestStop(promptId: string): Promise<void> {
    const status = await post(`/api/jobs/${promptId}/cancel`);
    if (status === 200) return;
    if (status !== 404 && status !== 405) throw unexpected('a cancel', status);
    // Older servers need two calls. The queue comes first, or both could miss a job that begins in between.
    const both = [await post('/queue', { delete: [promptId] }), await post('/interrupt', { prompt_id: promptId })];
    for (const each of both) if (each !== 200) throw unexpected('a cancel', each);
  }

  async function cancel(operation: EngineOperation): Promise<CancelOutcome> {
    const promptId = promptIdOf(operation);
    if (stopped.has(promptId)) return 'stopped';
    let job = await find(promptId);
    if (job === null) return 'unsupported'; // it may be lost or still on its way, which only further polls show
    if (isUnderWay(job)) await requestStop(promptId);
    const until = performance.now() + stopMilliseconds;
    while (job !== null && isUnderWay(job) && performance.now() < until) {
      await pause(stopEveryMilliseconds);
      job = await find(promptId);
    }
    if (job !== null && job.status !== 'cancelled') return 'unsupported'; // poll shows its end
    remember(stopped, promptId);
    socket.forget(promptId);
    return 'stopped';
  }

  return {
    async describe() {
      const { status, json } = await http.request('/system_stats');
      if (status !== 200) throw unexpected('a description', status);
      const version = parseVersion(json);
      const problems = describeTemplates(templates);
      if (slots !== 1) problems.push('ComfyUI renders one job at a time: set the slots of this endpoint to 1.');
      const jobs = await http.request('/api/jobs?limit=1');
      if (jobs.status !== 200) problems.push(`ComfyUI ${version} cannot list its jobs: update it to 0.7.0 or later.`);
      for (const template of new Set(present)) problems.push(...(await checkComfyTemplate(http, template)));
      return { engine: 'comfyui', version, slots, models: null, problems };
    },

    operationFor: (jobId) => ({ promptId: promptIdFor(jobId) }),

    async submit(request, signal) {
      const template = request.image ? templates.imageToVideo : templates.textToVideo;
      if (!template) throw new InputRejected(`the endpoint has no template for ${request.image ? 'images' : 'text'}`);
      checkFit(template, request);
      const promptId = promptIdFor(request.jobId);
      const graph = await prepare(request, promptId, template, signal).catch((error: unknown) => {
        // The job itself was not submitted yet, so the engine certainly did not take it.
        throw error instanceof InputRejected ? error : new SubmitRefused('unreachable', { cause: error });
      });
      if (graph === null) return { promptId };

      const client_id = await socket.clientId();
      socket.follow(promptId, graph);
      const body = JSON.stringify({ prompt: graph, client_id, prompt_id: promptId });
      const { status, json } = await http.submit('/prompt', { method: 'POST', body, signal });
      if (status === 400) {
        socket.forget(promptId);
        throw new InputRejected(`the engine refused the graph: ${refusalOf(json)}`);
      }
      if (status !== 200) throw unexpected('a submit', status);
      const { prompt_id, node_errors } = fieldsOf(json);
      if (prompt_id !== promptId) throw new Error('the engine took the job under another id');
      if (Object.keys(fieldsOf(node_errors ?? {})).length > 0) {
        // ComfyUI runs the graph without the outputs that have errors, so it would not save our video.
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
      if (job === null) throw new OutputInvalid('the engine no longer knows the job');
      if (job.status !== 'completed') throw new Error('the engine has not finished the job');
      const nodes = [...new Set(present.map(({ output }) => output))];
      const { filename, subfolder } = parseOutput(job.outputs, nodes, prefixOf(promptId));
      const query = new URLSearchParams({ filename, subfolder, type: 'output' });
      return http.download(`/view?${query.toString()}`);
    },

    cancel,

    /** Removes the job from ComfyUI's history. The files stay: ComfyUI has no way to delete them. */
    async discard(operation) {
      const status = await post('/history', { delete: [promptIdOf(operation)] });
      if (status !== 200) throw unexpected('a discard', status);
    },

    async health() {
      const { status } = await http.request('/prompt');
      return status === 200 ? { isReady: true } : { isReady: false, reason: `it responds with status ${status}` };
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

/** Returns the id of a job at ComfyUI, which accepts only canonical UUIDs: a UUID of version 8, made from a hash. */
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

/** Returns the kind of a refusal, without its details, which contain the caller's prompt. */
function refusalOf(json: unknown): string {
  const error = typeof json === 'object' && json !== null && 'error' in json ? json.error : null;
  return shortReason(typeof error === 'object' && error !== null && 'type' in error ? error.type : null);
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > maximumCancels && oldest !== undefined) ids.delete(oldest);
}
