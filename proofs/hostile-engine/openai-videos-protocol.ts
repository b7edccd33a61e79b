import { randomUUID } from 'node:crypto';
import { type EngineJob, type EngineState, stateOf } from './engine-job.ts';
import { plain, type Speak } from './exchange.ts';
import { json, type Protocol, raw } from './mutation.ts';

/** The name of the served model in the models file. */
export const servedModel = 'tiny-wan';

const ownerOf: Partial<Record<Protocol, string>> = { sglang: 'sglang', 'vllm-omni': 'vllm', fastvideo: 'fastvideo' };

/** The `/v1/videos` protocol of SGLang, vLLM-Omni and FastVideo, with honest responses. */
export const speakOpenAiVideos: Speak = ({ method, path, body }, engine, { take, videoOf }) => {
  if (path === '/health') return plain(json({ status: 'ok' }));
  if (path === '/server_info' || path === '/version') return plain(json({ version: '0.5.23' }));
  if (path === '/v1/models') {
    return plain(
      json({ object: 'list', data: [{ id: servedModel, object: 'model', owned_by: ownerOf[engine.protocol] }] }),
    );
  }
  if (path === '/metrics') return countRequests(engine);
  if (path === '/v1/videos' && method === 'POST') {
    const job = take(engine, randomUUID(), body, null);
    return job
      ? { honest: json(jobOf(job)), operation: 'submit', job }
      : plain(json({ detail: 'prompt missing' }, 400));
  }
  if (path === '/v1/videos') {
    const jobs = [...engine.jobs.values()].toReversed();
    return { honest: json({ object: 'list', data: jobs.map(jobOf) }), operation: 'list', job: jobs[0] ?? null };
  }
  const [, id = '', isContent] = /^\/v1\/videos\/([^/]+)(\/content)?$/.exec(path) ?? [];
  const job = engine.jobs.get(id);
  if (!job) return plain(json({ detail: 'Video not found' }, 404));
  const { state } = stateOf(job);
  if (method === 'DELETE') {
    engine.jobs.delete(id);
    return {
      honest: json({ ...jobOf(job), status: 'deleted' }),
      operation: state === 'succeeded' ? 'discard' : 'cancel',
      job,
    };
  }
  if (!isContent) return { honest: json(jobOf(job)), operation: 'poll', job };
  const video = { status: 200, headers: { 'content-type': 'video/mp4' }, body: videoOf(job) };
  return { honest: state === 'succeeded' ? video : json({ detail: 'not ready' }, 404), operation: 'output', job };
};

/** Returns vLLM-Omni's gauges; the other servers have none. */
function countRequests(engine: EngineState): ReturnType<Speak> {
  const running = [...engine.jobs.values()].filter((job) => stateOf(job).state === 'running');
  const gauges = `vllm_omni:num_requests_running ${running.length}\nvllm_omni:num_requests_waiting 0\n`;
  return { honest: raw(gauges, 200, 'text/plain'), operation: 'queue', job: running[0] ?? null };
}

function jobOf(job: EngineJob): Record<string, unknown> {
  const isOver = stateOf(job).state === 'succeeded';
  return {
    id: job.id,
    object: 'video',
    model: servedModel,
    status: isOver ? 'completed' : 'in_progress',
    progress: isOver ? 100 : 0,
    created_at: Math.floor(job.createdAt / 1000),
    seconds: '1',
    url: null,
    error: null,
    file_path: `/opt/engines/out/${job.id}.mp4`,
  };
}
