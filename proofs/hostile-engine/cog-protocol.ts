import { stateOf } from './engine-job.ts';
import { plain, type Speak } from './exchange.ts';
import { json } from './mutation.ts';

/** Cog's protocol, with honest responses. Cog reports a job by callbacks: see cog-callbacks.ts. */
export const speakCog: Speak = ({ method, path, body }, engine, { take }) => {
  if (path === '/') return plain(json({ cog_version: '0.23.1', docs_url: '/docs' }));
  if (path === '/openapi.json') return plain(json({ error: 'OpenAPI schema not available' }, 503));
  const running = [...engine.jobs.values()].find((job) => stateOf(job).state === 'running');
  if (path === '/health-check') {
    // A health check belongs to the most recent job, whose mutation may change this response.
    const job = running ?? [...engine.jobs.values()].at(-1) ?? null;
    return {
      honest: json({ status: running ? 'BUSY' : 'READY', setup: { status: 'succeeded', logs: '' } }),
      operation: 'poll',
      job,
    };
  }
  const [, id = '', isCancel] = /^\/predictions\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
  if (method === 'PUT' && id !== '') {
    if (running) return plain(json({ error: 'At capacity - all prediction slots busy', status: 'failed' }, 409));
    const job = take(engine, id, body, webhookIn(body));
    return job
      ? { honest: json({ id, status: 'starting' }, 202), operation: 'submit', job }
      : plain(json({ detail: [] }, 422));
  }
  const job = engine.jobs.get(id);
  if (!isCancel || !job) return plain(json({}, 404));
  if (stateOf(job).state !== 'running') return { honest: json({}, 404), operation: 'cancel', job };
  job.isCancelled = true;
  return { honest: json({}), operation: 'cancel', job };
};

function webhookIn(body: Buffer): string | null {
  const { webhook } = JSON.parse(body.toString('utf8')) as { webhook?: string }; // Kinora's adapter wrote it.
  return webhook ?? null;
}
