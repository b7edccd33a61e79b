import { stateOf } from './engine-job.ts';
import { plain, type Speak } from './exchange.ts';
import { json } from './mutation.ts';

/** The built-in engine's protocol, with honest responses. */
export const speakAnimatic: Speak = ({ method, path, body }, engine, { take, videoOf }) => {
  if (path === '/healthz') return plain(json({ status: 'ok' }));
  if (path === '/') return plain(json({ engine: 'animatic', version: '1', slots: 8, running: 0, submits: 0 }));
  const [, id = '', isOutput] = /^\/jobs\/([^/]+)(\/output)?$/.exec(path) ?? [];
  if (method === 'PUT') {
    const job = take(engine, id, body, null);
    return job
      ? { honest: json({ outcome: 'accepted' }, 201), operation: 'submit', job }
      : plain(json({ error: 'invalid' }, 400));
  }
  const job = engine.jobs.get(id);
  if (!job) return plain(method === 'DELETE' ? json({ outcome: 'stopped' }) : json({ error: 'unknown_job' }, 404));
  const now = stateOf(job);
  if (method === 'DELETE') {
    job.isCancelled = true;
    return { honest: json({ outcome: 'stopped' }), operation: now.state === 'succeeded' ? 'discard' : 'cancel', job };
  }
  if (isOutput) {
    const isDone = now.state === 'succeeded';
    const video = { status: 200, headers: { 'content-type': 'video/mp4' }, body: videoOf(job) };
    return { honest: isDone ? video : json({ error: 'not_done' }, 409), operation: 'output', job };
  }
  if (now.state === 'cancelled') return { honest: json({ error: 'unknown_job' }, 404), operation: 'poll', job };
  return { honest: json({ progress: 100, ...now }), operation: 'poll', job };
};
