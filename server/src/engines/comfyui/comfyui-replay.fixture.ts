import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import {
  exchangeOf,
  type RecordedExchange,
  type RecordedRun,
  type RecordedVersion,
  readSourceInfo,
  runOf,
} from './comfyui-recordings.fixture.ts';
import { acceptWebSocket, type ServerSocket } from './comfyui-websocket.fixture.ts';

/** How a job runs: as in a recording, with all durations multiplied by `pace`. */
interface Script {
  run: RecordedRun;
  pace: number;
}

export interface ComfyDouble {
  url: string;
  /** Every request so far. */
  requests: { method: string; path: string; headers: IncomingMessage['headers']; body: Buffer }[];
  /** The files of its model folders. */
  models: Record<string, readonly string[]>;
  /** Chooses the recording that a job follows, by its graph. */
  script: (graph: RecordedRun['graph']) => Script;
  /** After its message of success, a job waits for this before it is in the history. */
  historyOpened: Promise<void>;
  /** Refuses sockets, as a proxy without support for them does. */
  refusesSockets: boolean;
  /** The response to the next submit, if not the usual one. */
  nextPrompt: RecordedExchange | null;
  nextUpload: RecordedExchange | null;
  sockets(): readonly ServerSocket[];
  /** The node that is running, or was the last to run. */
  node: string;
  /** Changes what a node wrote before the server reports it. */
  changeOutputs: (outputs: Record<string, unknown>) => Record<string, unknown>;
  kill(): Promise<void>;
  /** Starts at the same address, with nothing in its memory. */
  start(): Promise<void>;
}

interface Job {
  id: string;
  clientId: string;
  graph: RecordedRun['graph'];
  isInterrupted: boolean;
}

/**
 * Starts a double of a ComfyUI server: one queue, one job at a time, with the responses and messages of recorded
 * traffic. Its queue, its history and its cancel at the next node behave as the recordings show.
 */
export async function startComfyDouble(version: RecordedVersion, video: Buffer): Promise<ComfyDouble> {
  const probed = (path: string) => exchangeOf(version, '00_probe', path);
  const cancelled = runOf(version, version === 'v0.7.0' ? '43_wan_interrupt' : '12_cancel_running').end;
  const completed = runOf(version, '01_t2v').end;
  const unknownJob = exchangeOf(version, '30_kill9_restart', `/api/jobs/${lostId[version]}`);
  const noCancel = exchangeOf('v0.7.0', '30_kill9_restart', `/api/jobs/${lostId['v0.7.0']}/cancel`);
  const sampler = exchangeOf(version, '40_wan_t2v', '/object_info/KSampler');
  const sourceInfo = readSourceInfo();

  let pending: Job[] = [];
  let running: Job | null = null;
  let history = new Map<string, Record<string, unknown>>();
  let sockets: ServerSocket[] = [];
  const files = new Set<string>(); // the disk outlives the process
  let life = 0;

  const double: ComfyDouble = {
    url: '',
    requests: [],
    models: {},
    script: () => ({ run: runOf(version, '01_t2v'), pace: 1 }),
    historyOpened: Promise.resolve(),
    refusesSockets: false,
    nextPrompt: null,
    nextUpload: null,
    sockets: () => sockets,
    node: '',
    changeOutputs: (outputs) => outputs,
    async kill() {
      life += 1;
      [pending, running, history] = [[], null, new Map()];
      for (const socket of sockets) socket.destroy();
      sockets = [];
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
    async start() {
      server.listen(Number(double.url === '' ? 0 : new URL(double.url).port), '127.0.0.1');
      await once(server, 'listening');
      double.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listens on TCP
    },
  };

  const server = createServer((incoming, reply) => {
    void buffer(incoming).then(
      (body) => {
        const { method = '', url: path = '', headers } = incoming;
        double.requests.push({ method, path, headers, body });
        // As recorded: a foreign origin gets 403, and a client that is not a browser sends none.
        if (headers.origin !== undefined) reply.writeHead(403).end();
        else respond(reply, method, new URL(path, 'http://double'), body);
      },
      () => undefined,
    );
  });
  server.on('upgrade', (request, stream) => {
    double.requests.push({ method: 'GET', path: request.url ?? '', headers: request.headers, body: Buffer.alloc(0) });
    if (double.refusesSockets) {
      stream.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
      return;
    }
    const socket = acceptWebSocket(request, stream, () => {
      sockets = sockets.filter((other) => other !== socket);
    });
    sockets = [...sockets.filter(({ clientId }) => clientId !== socket.clientId), socket];
  });

  function respond(reply: ServerResponse, method: string, url: URL, body: Buffer): void {
    const send = (status: number, content?: unknown): void => {
      const isText = typeof content === 'string';
      reply.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json' });
      reply.end(content === undefined || content === null ? '' : isText ? content : JSON.stringify(content));
    };
    const replay = ({ status, body: recorded }: RecordedExchange): void => send(status, recorded);
    const [, first = '', second = '', third = '', fourth = ''] = url.pathname.split('/');
    const route = `${method} /${first}`;
    const json = (): Record<string, unknown> => JSON.parse(body.toString()) as Record<string, unknown>; // the adapter's

    if (route === 'GET /system_stats') return replay(probed('/system_stats'));
    if (route === 'GET /prompt') return replay(probed('/prompt'));
    if (route === 'GET /models')
      return double.models[second] ? send(200, double.models[second]) : replay(probed('/models/nosuchfolder'));
    if (route === 'GET /object_info') return send(200, nodeInfo(second));
    if (route === 'GET /view')
      return sendFile(reply, `${url.searchParams.get('subfolder')}/${url.searchParams.get('filename')}`);
    if (route === 'GET /api' && third === '') return replay(probed('/api/jobs'));
    if (route === 'GET /api') {
      const job = jobOf(third);
      return job ? send(200, job) : replay(unknownJob);
    }
    if (route === 'POST /api' && fourth === 'cancel')
      return version === 'v0.7.0' ? replay(noCancel) : send(200, { cancelled: remove(third) || interrupt(third) });
    if (route === 'POST /interrupt') {
      interrupt(json()['prompt_id']);
      return send(200);
    }
    if (route === 'POST /queue' || route === 'POST /history') {
      const forget = first === 'queue' ? remove : (id: string) => history.delete(id);
      for (const id of json()['delete'] as string[]) forget(id);
      return send(200);
    }
    if (route === 'POST /upload') {
      if (double.nextUpload) return replay(double.nextUpload);
      const [, filename = ''] = /filename="([^"]+)"/.exec(body.toString('latin1')) ?? [];
      return send(200, { name: filename, subfolder: 'kinora', type: 'input' });
    }
    if (route === 'POST /prompt') return submit(json(), send);
    send(404);
  }

  function submit(json: Record<string, unknown>, send: (status: number, content: unknown) => void): void {
    const { prompt, prompt_id, client_id } = json as { prompt: Job['graph']; prompt_id: string; client_id: string };
    const recorded = double.nextPrompt;
    double.nextPrompt = null;
    const isTaken = (recorded?.status ?? 200) === 200;
    if (isTaken) pending.push({ id: prompt_id, clientId: client_id, graph: prompt, isInterrupted: false });
    if (isTaken && !running) void work(life);
    if (!recorded) return send(200, { prompt_id, number: 0, node_errors: {} });
    const body = recorded.json
      ? JSON.stringify(recorded.body).replaceAll(String(recorded.json['prompt_id']), prompt_id)
      : null;
    send(recorded.status, body ? JSON.parse(body) : recorded.body);
  }

  async function work(ofLife: number): Promise<void> {
    for (;;) {
      const job = pending.shift();
      if (!job || life !== ofLife) return;
      running = job;
      const end = await play(job, ofLife);
      if (life !== ofLife) return;
      history.set(job.id, end);
      running = null;
      sendMessage(job, 'executing', { node: null });
    }
  }

  /** Sends the recorded messages of a job; returns its entry in the history. */
  async function play(job: Job, ofLife: number): Promise<Record<string, unknown>> {
    const { run, pace } = double.script(job.graph);
    const outputs: Record<string, unknown> = {};
    let node = '';
    let passedSeconds = 0;
    for (const { afterSeconds, message } of run.frames) {
      const until = performance.now() + (afterSeconds - passedSeconds) * 1000 * pace;
      passedSeconds = afterSeconds;
      // A sampler checks for an interruption at each of its steps; any other node only at its end.
      const isSampler = run.graph[node]?.class_type === 'KSampler';
      while (performance.now() < until && !(job.isInterrupted && isSampler)) {
        await pause(Math.max(1, Math.min(10, until - performance.now())));
        if (life !== ofLife) return {};
      }
      const isNext = message.type === 'executing' && message.data['node'] !== null;
      if (job.isInterrupted && (isSampler || isNext)) {
        sendMessage(job, 'execution_interrupted', { node_id: node, executed: [] });
        return { ...cancelled, id: job.id };
      }
      if (isNext) double.node = node = String(message.data['node']);
      if (message.type === 'executed')
        outputs[node] = double.changeOutputs({ [node]: save(job, message.data['output']) })[node];
      if (message.type === 'executing' && message.data['node'] === null) break; // sent once the job is in the history
      sendMessage(
        job,
        message.type,
        message.type === 'executed' ? { ...message.data, output: outputs[node] } : message.data,
      );
    }
    await double.historyOpened;
    const end = run.end && run.end['status'] !== 'completed' ? run.end : { ...completed, outputs };
    return JSON.parse(
      JSON.stringify(end).replaceAll(run.promptId, job.id).replaceAll(String(completed?.['id']), job.id),
    );
  }

  function save(job: Job, recorded: unknown): unknown {
    const prefix = Object.values(job.graph).find(({ class_type }) => class_type === 'SaveVideo')?.inputs[
      'filename_prefix'
    ];
    const [subfolder, name] = String(prefix).split('/');
    const file = { filename: `${name}_00001_.mp4`, subfolder, type: 'output' };
    files.add(`${subfolder}/${file.filename}`);
    return { ...(recorded as object), images: [file] };
  }

  function sendMessage(job: Job, type: string, data: Record<string, unknown>): void {
    const text = JSON.stringify({ type, data: { ...data, prompt_id: job.id } });
    for (const socket of sockets) if (socket.clientId === job.clientId) socket.sendText(text);
  }

  function jobOf(id: string): Record<string, unknown> | null {
    const ended = history.get(id);
    if (ended) return ended;
    const waits = pending.some((job) => job.id === id);
    if (!waits && running?.id !== id) return null;
    // As recorded for both states.
    return { id, status: waits ? 'pending' : 'in_progress', priority: 0, create_time: 1794703403102, outputs_count: 0 };
  }

  function remove(id: string): boolean {
    const before = pending.length;
    pending = pending.filter((job) => job.id !== id);
    return pending.length < before;
  }

  function interrupt(id: unknown): boolean {
    if (running?.id !== id || !running) return false;
    running.isInterrupted = true;
    return true;
  }

  function nodeInfo(name: string): unknown {
    if (name === 'KSampler') return sampler.body;
    if (['SaveVideo', 'CreateVideo', 'EmptyImage'].includes(name)) return probed(`/object_info/${name}`).body;
    return Object.hasOwn(sourceInfo, name) ? { [name]: sourceInfo[name] } : probed('/object_info/NoSuchNode').body;
  }

  function sendFile(reply: ServerResponse, path: string): void {
    if (!files.has(path)) reply.writeHead(404).end();
    else reply.writeHead(200, { 'content-type': 'video/mp4', 'content-length': video.length }).end(video);
  }

  await double.start();
  return double;
}

/** The job that was running when the recorded server was killed. */
const lostId: Record<RecordedVersion, string> = {
  'v0.33.0': '639bc397-e146-4897-8737-519af980f377',
  'v0.7.0': '810fc2df-4673-4c31-bfd8-fda151e37450',
};
