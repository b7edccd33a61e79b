import { setTimeout as pause } from 'node:timers/promises';
import { inject } from 'vitest';

/** The task as the contract names its fields; what is checked in detail is checked against the schema. */
export interface Task {
  task_id: string;
  id: string;
  type: string;
  livemode: boolean;
  status: 'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
  is_final: boolean;
  stage: 'waiting' | 'preparing' | 'rendering' | 'finishing';
  progress: number;
  progress_source: string;
  model: string;
  prompt: string;
  negative_prompt: string | null;
  resolution: string;
  aspect_ratio: string;
  duration: number;
  seed: number;
  seconds: string;
  size: string;
  image: { sha256: string; width: number; height: number; fit: string } | null;
  started_at: number | null;
  completed_at: number | null;
  expires_at: number | null;
  created_at: number;
  poll_after_ms: number;
  events_url: string | null;
  video_url: string | null;
  video: Video | null;
  error: { code: string; message: string; retryable: boolean; stage: string } | null;
  usage: { engine_seconds: number; video_seconds: number; billable: boolean } | null;
  attempt: number;
  warnings: { code: string; param: string | null; message: string }[];
  metadata: Record<string, string>;
}

export interface Video {
  url: string;
  url_expires_at: number;
  content_type: string;
  width: number;
  height: number;
  rendered: { width: number; height: number };
  fps: number;
  frame_count: number;
  duration: number;
  size_bytes: number;
  sha256: string;
  has_audio: boolean;
  thumbnail_url: string;
  spritesheet_url: string;
}

export interface ErrorBody {
  error: {
    message: string;
    type: string;
    code: string;
    param: string | null;
    retryable: boolean;
    details: { param: string; code: string; message: string; allowed?: (string | number)[] }[];
  };
  request_id: string;
}

/** A JSON answer; `Body` is what the caller expects, which the test then checks. */
export interface Answer<Body> {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

export interface Client {
  post<Body = Task>(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer<Body>>;
  get<Body = Task>(path: string, headers?: Record<string, string>): Promise<Answer<Body>>;
  /** A task that must be accepted. */
  create(fields: Record<string, unknown>): Promise<Task>;
  read(taskId: string): Promise<Task>;
  /** Reads tasks until they are final, keeping every distinct sight of each. */
  follow(taskId: string): Promise<Sights>;
}

/** What was seen of a task from one read to the next, the end last. */
export interface Sights {
  all: Task[];
  end: Task;
}

const followTimeoutMilliseconds = 280_000;
const pollMilliseconds = 400;

/** Talks to the installation with this key, by plain HTTP. */
export function clientFor(key: string, url: string = inject('world').url): Client {
  const authorization = { authorization: `Bearer ${key}` };
  const get = <Body = Task>(path: string, headers: Record<string, string> = {}) =>
    call<Body>(`${url}${path}`, { headers: { ...authorization, ...headers } });
  const post = <Body = Task>(path: string, body: unknown, headers: Record<string, string> = {}) =>
    call<Body>(`${url}${path}`, {
      method: 'POST',
      headers: { ...authorization, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const read = async (taskId: string) => insist(await get(`/v1/videos/${taskId}`));
  return {
    get,
    post,
    read,
    create: async (fields) =>
      insist(await post(`/v1/videos/${'image_url' in fields ? 'image-to-video' : 'text-to-video'}`, fields)),
    async follow(taskId) {
      const all: Task[] = [];
      const deadline = Date.now() + followTimeoutMilliseconds;
      for (;;) {
        const task = await read(taskId);
        if (!isSameSight(all.at(-1), task)) all.push(task);
        if (task.is_final) return { all, end: task };
        if (Date.now() > deadline) throw new Error(`task ${taskId} is still ${task.status}, ${task.stage}`);
        await pause(pollMilliseconds);
      }
    },
  };
}

/** One request; the answer must be JSON, which every answer of the API is. */
export async function call<Body>(url: string, init: RequestInit = {}): Promise<Answer<Body>> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as Body };
}

/** The bytes behind a signed URL, asked for without any header. */
export async function download(url: string | null): Promise<{ bytes: Buffer; contentType: string | null }> {
  if (url === null) throw new Error('there is no URL to download from');
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`the download answered ${response.status}: ${await response.text()}`);
  return { bytes: Buffer.from(await response.arrayBuffer()), contentType: response.headers.get('content-type') };
}

function insist(answer: Answer<Task>): Task {
  if (answer.status !== 200) throw new Error(`expected 200, got ${answer.status}: ${answer.text}`);
  return answer.body;
}

function isSameSight(one: Task | undefined, other: Task): boolean {
  const looks = ({ status, stage, progress, attempt }: Task) => `${status} ${stage} ${progress} ${attempt}`;
  return one !== undefined && looks(one) === looks(other);
}
