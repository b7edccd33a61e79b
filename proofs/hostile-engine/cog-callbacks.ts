import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Call, CallScene } from './call-scene.ts';
import type { EngineJob } from './engine-job.ts';
import { mutationFor } from './hostile-case.ts';

const longestMilliseconds = 20_000;

export function prediction(id: string, fields: Record<string, unknown>): string {
  return JSON.stringify({ id, logs: '', metrics: {}, ...fields });
}

export function dataUrl(video: Buffer): string {
  return `data:video/mp4;base64,${video.toString('base64')}`;
}

/** Returns the posts of an honest server: the start, the progress, and the end with the video. */
export function honestCalls({ job, video }: Pick<CallScene, 'job' | 'video'>): Call[] {
  const bar = ' 50%|█████     | 5/10 [00:00<00:00, 50.00it/s]';
  return [
    { atMilliseconds: 20, body: prediction(job.id, { status: 'processing' }) },
    { atMilliseconds: job.runMilliseconds / 2, body: prediction(job.id, { status: 'processing', logs: bar }) },
    { atMilliseconds: job.runMilliseconds, body: prediction(job.id, { status: 'succeeded', output: dataUrl(video) }) },
  ];
}

/** Posts the callbacks of a job, none after an honest job was cancelled. Returns how many were mutated. */
export async function makeCalls(job: EngineJob, scene: CallScene, count: number): Promise<number> {
  const mutation = mutationFor(job.case, 'callback', count);
  const calls = mutation?.calls?.(scene) ?? honestCalls(scene);
  const posts: { call: Call; ended: Promise<void> }[] = [];
  for (const call of calls) {
    // A busy machine must not reorder them: a callback waits for the responses to those before it, unless they hang.
    const before = posts.filter((one) => one.call.atMilliseconds < call.atMilliseconds && !one.call.manner);
    const send = async (): Promise<void> => {
      await job.clock.until(job.startedAt + call.atMilliseconds);
      await Promise.all(before.map(({ ended }) => ended));
      if (job.isCancelled && !mutation) return;
      if (job.webhook !== null) await post(call.url ?? job.webhook, call);
    };
    posts.push({ call, ended: send() });
  }
  await Promise.all(posts.map(({ ended }) => ended));
  return mutation ? calls.length : 0;
}

/** Posts, and retries after a 503 or no response, as Cog does. Returns the last status; 0 if there was no response. */
async function post(url: string, call: Call): Promise<number> {
  for (const waitMilliseconds of [200, 400, 800, null]) {
    const status = await postOnce(url, call).catch(() => 0);
    if ((status !== 503 && status !== 0) || waitMilliseconds === null || call.manner) return status;
    await pause(waitMilliseconds);
  }
  return 0;
}

function postOnce(url: string, { body, headers, manner }: Call): Promise<number> {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(body);
    const length = manner ? bytes.length + 1_000_000 : bytes.length;
    const outgoing = request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': length, ...headers },
      timeout: longestMilliseconds,
    });
    outgoing.on('error', reject).on('timeout', () => outgoing.destroy(new Error('no response')));
    outgoing.on('response', (response) => {
      response.resume().on('error', reject);
      resolve(response.statusCode ?? 0);
    });
    if (!manner) outgoing.end(bytes);
    else outgoing.write(bytes, () => manner === 'is cut' && setTimeout(() => outgoing.destroy(), 200));
  });
}
