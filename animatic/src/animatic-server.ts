import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Box } from '@kinora/boxes/box';
import type { encodeFrames } from '@kinora/boxes/encode-frames';
import { isOwnHost } from '@kinora/settings/own-host';
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { type AnimaticJobs, createAnimaticJobs } from './animatic-jobs.ts';
import { drawingVersion } from './draw-frame.ts';
import { parseJobInput } from './job-input.ts';
import type { Log } from './log.ts';
import { compileDrawing, renderAnimatic } from './render-animatic.ts';

interface Parts {
  box: Box;
  encodeFrames: typeof encodeFrames;
  log: Log;
  /** The folder in which each engine process has a folder of its own, named after its port. */
  scratchRoot: string;
  slots: number;
  /** The host names under which the server is reached. */
  names?: readonly string[];
}

export interface AnimaticServer {
  /** Accepts jobs at this address until closed; returns its URL. */
  listen(host: string, port: number): Promise<string>;
  /** Stops every job, deletes every file and frees the address. */
  close(): Promise<void>;
}

const bodyLimitBytes = 40 * 1024 * 1024;
const sweepMilliseconds = 60_000;
const submitStatus = { accepted: 201, known: 200, busy: 409, removed: 410 } as const;
const jobIdPattern = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}$/;

/** Creates the engine's private HTTP server. It has no authentication; by default it listens on loopback. */
export function createAnimaticServer({
  box,
  encodeFrames,
  log,
  scratchRoot,
  slots,
  names = [],
}: Parts): AnimaticServer {
  const startedAt = new Date();
  const app = fastify({
    logger: false,
    bodyLimit: bodyLimitBytes,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
  });
  // The folder's name needs the port, so the jobs exist only after listening; earlier requests wait for them.
  const opened = Promise.withResolvers<{ jobs: AnimaticJobs; folder: string }>();
  opened.promise.catch(() => undefined); // `listen` throws the same error
  let sweeper: NodeJS.Timeout | undefined;

  app.addHook('onRequest', async ({ headers }, reply) => {
    if (!isOwnHost(headers.host, names)) return reply.code(421).send({ error: 'host_not_allowed' });
  });
  addJobRoutes(app, async () => (await opened.promise).jobs, log);
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/', async () => {
    const { jobs } = await opened.promise;
    return { engine: 'animatic', version: drawingVersion, slots, ...jobs.counts(), startedAt: startedAt.toISOString() };
  });

  return {
    async listen(host, port) {
      const url = await app.listen({ host, port });
      try {
        const folder = join(scratchRoot, `animatic-${new URL(url).port}`);
        // This process has the port, so the process that left files there has ended and its jobs are lost.
        await rm(folder, { recursive: true, force: true, maxRetries: 3 });
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const compiledFolder = join(folder, 'compiled');
        await mkdir(compiledFolder);
        await compileDrawing(box, compiledFolder);
        const jobs = createAnimaticJobs({
          render: (input, options) => renderAnimatic({ box, encodeFrames, compiledFolder }, input, options),
          log,
          root: folder,
          slots,
        });
        opened.resolve({ jobs, folder });
        const sweep = () =>
          jobs.sweep().catch((error: unknown) => log.error({ event: 'jobs.sweep_failed', err: error }, 'sweep failed'));
        sweeper = setInterval(() => void sweep(), sweepMilliseconds).unref();
      } catch (error) {
        opened.reject(error);
        await app.close();
        throw error;
      }
      return url;
    },
    async close() {
      clearInterval(sweeper);
      opened.reject(new Error('the server was closed before it listened'));
      await app.close();
      const working = await opened.promise.catch(() => null);
      if (!working) return;
      await working.jobs.close();
      await rm(working.folder, { recursive: true, force: true });
    },
  };
}

function addJobRoutes(app: FastifyInstance, open: () => Promise<AnimaticJobs>, log: Log): void {
  app.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) log.error({ event: 'request.failed', err: error }, 'request failed');
    return status >= 500
      ? reply.code(500).send({ error: 'internal' })
      : reply.code(status).send(invalid(error.message));
  });

  app.put<{ Params: { id: string } }>('/jobs/:id', async ({ params, body }, reply) => {
    if (!jobIdPattern.test(params.id)) return reply.code(400).send(invalid('the id of the job is not allowed'));
    const parsed = parseJobInput(body);
    if ('problem' in parsed) return reply.code(400).send(invalid(parsed.problem));
    const jobs = await open();
    const outcome = jobs.start(params.id, parsed.input);
    const status = submitStatus[outcome];
    return reply.code(status).send(status < 300 ? { outcome } : { error: outcome });
  });

  app.get<{ Params: { id: string } }>('/jobs/:id', async ({ params }, reply) => {
    const job = (await open()).find(params.id);
    if (!job) return unknown(reply);
    const { state, progress } = job;
    return job.state === 'failed' ? { state, progress, code: job.code, reason: job.reason } : { state, progress };
  });

  app.get<{ Params: { id: string } }>('/jobs/:id/output', async ({ params }, reply) => {
    const job = (await open()).find(params.id);
    if (!job) return unknown(reply);
    if (job.state !== 'succeeded') return reply.code(409).send({ error: 'not_done' });
    const { size } = await stat(job.outputPath);
    return reply.type('video/mp4').header('content-length', size).send(createReadStream(job.outputPath));
  });

  app.delete<{ Params: { id: string } }>('/jobs/:id', async ({ params }, reply) => {
    if (!jobIdPattern.test(params.id)) return reply.code(400).send(invalid('the id of the job is not allowed'));
    await (await open()).remove(params.id);
    return { outcome: 'stopped' };
  });
}

function unknown(reply: FastifyReply): FastifyReply {
  return reply.code(404).send({ error: 'unknown_job' });
}

function invalid(message: string): { error: 'invalid'; message: string } {
  return { error: 'invalid', message };
}
