import type { Error as ErrorBody, Task, TaskList, Timeline } from '../../../sdk/src/generated/types.ts';
import { hangLimitMilliseconds } from '../hang-limit.ts';
import { interrupted } from './interruption.ts';
import { pause } from './pause.ts';

export type { ErrorBody, Task, Timeline };

/** A JSON response. `Body` is the type that the caller expects; the client does not check it. */
export interface ApiResponse<Body> {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

export interface ApiClientOptions {
  url: string;
  key: string;
  /** Temporary statuses, such as 429 after a burst: the client repeats the request until it gets another status. */
  patientWith?: readonly number[];
  /** Aborts the requests and waits of this client. */
  signal?: AbortSignal;
  /** The most time that one request may take. */
  timeoutMilliseconds?: number;
}

export interface ApiClient {
  get<Body = Task>(path: string, headers?: Record<string, string>): Promise<ApiResponse<Body>>;
  /** Sends a string as it is, and anything else as JSON. */
  post<Body = Task>(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse<Body>>;
  delete<Body>(path: string): Promise<ApiResponse<Body>>;
  /** Sends any request with the client's key; for bodies that are not JSON. */
  fetch(path: string, init?: RequestInit): Promise<Response>;

  // The methods below throw unless the response is 200.
  /** Creates an image-to-video task if the fields include `image_url`, and a text-to-video task otherwise. */
  create(fields: Record<string, unknown>): Promise<Task>;
  read(taskId: string): Promise<Task>;
  cancel(taskId: string): Promise<Task>;
  timeline(taskId: string): Promise<Timeline>;
  content(taskId: string): Promise<Buffer>;
  /** Returns every task of the key's project and mode, newest first. */
  list(): Promise<Task[]>;
  /** Returns every item of the list at this path, from all its pages. */
  all<Item>(path: string): Promise<Item[]>;
  /** Reads a task until it is final, and returns every distinct state of it. */
  follow(taskId: string): Promise<Followed>;
}

type Page<Item> = Omit<TaskList, 'data'> & { data: Item[] };

/** The distinct states of a task, in the order in which they were read. */
export interface Followed {
  all: Task[];
  end: Task;
}

const pollMilliseconds = 400;
const patienceMilliseconds = 100;
const mostPatience = 600;

/** Creates a client that sends plain HTTP to an installation, with one key. E2e, proofs and bench all use it. */
export function createApiClient(options: ApiClientOptions): ApiClient {
  const { url, key, patientWith = [], signal = interrupted, timeoutMilliseconds } = options;
  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      const response = await fetch(url + path, {
        signal: timeoutMilliseconds ? AbortSignal.any([signal, AbortSignal.timeout(timeoutMilliseconds)]) : signal,
        ...init,
        headers: { ...bearer(key), ...(init.headers as Record<string, string>) },
      });
      if (!patientWith.includes(response.status) || tries === mostPatience) return response;
      await response.body?.cancel();
      await pause(patienceMilliseconds, signal);
    }
  }
  const get = async <Body = Task>(path: string, headers: Record<string, string> = {}) =>
    readResponse<Body>(await send(path, { headers }));
  const post = async <Body = Task>(path: string, body?: unknown, headers: Record<string, string> = {}) =>
    readResponse<Body>(
      await send(path, {
        method: 'POST',
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
  const all = async <Item>(path: string): Promise<Item[]> => {
    const items: Item[] = [];
    for (let after = ''; ; ) {
      const page = bodyOrThrow(await get<Page<Item>>(`${path}${path.includes('?') ? '&' : '?'}limit=100${after}`));
      items.push(...page.data);
      if (!page.has_more) return items;
      after = `&after=${page.last_id}`;
    }
  };
  const read = async (taskId: string) => bodyOrThrow(await get(`/v1/videos/${taskId}`));
  return {
    get,
    post,
    delete: async (path) => readResponse(await send(path, { method: 'DELETE' })),
    fetch: send,
    create: async (fields) =>
      bodyOrThrow(await post(`/v1/videos/${'image_url' in fields ? 'image-to-video' : 'text-to-video'}`, fields)),
    read,
    cancel: async (taskId) => bodyOrThrow(await post(`/v1/videos/${taskId}/cancel`)),
    timeline: async (taskId) => bodyOrThrow(await get<Timeline>(`/v1/videos/${taskId}/timeline`)),
    async content(taskId) {
      const response = await send(`/v1/videos/${taskId}/content`);
      if (response.status !== 200) throw unexpected(response.status, await response.text());
      return Buffer.from(await response.arrayBuffer());
    },
    list: () => all('/v1/videos'),
    all,
    async follow(taskId) {
      const all: Task[] = [];
      const deadline = Date.now() + hangLimitMilliseconds;
      for (;;) {
        const task = await read(taskId);
        if (!isSameState(all.at(-1), task)) all.push(task);
        if (task.is_final) return { all, end: task };
        if (Date.now() > deadline) throw new Error(`task ${taskId} is still ${task.status}, ${task.stage}`);
        await pause(pollMilliseconds, signal);
      }
    },
  };
}

/** Sends one request, without a key unless the headers have one. The response must be JSON, as all of the API's are. */
export async function call<Body>(url: string, init: RequestInit = {}): Promise<ApiResponse<Body>> {
  return readResponse(await fetch(url, init));
}

/** Downloads a signed URL without sending any header. */
export async function download(url: string | null): Promise<{ bytes: Buffer; contentType: string | null }> {
  if (url === null) throw new Error('there is no URL to download from');
  const response = await fetch(url);
  if (response.status !== 200) throw unexpected(response.status, await response.text());
  return { bytes: Buffer.from(await response.arrayBuffer()), contentType: response.headers.get('content-type') };
}

async function readResponse<Body>(response: Response): Promise<ApiResponse<Body>> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as Body };
}

/** Returns the header that a request with this key needs. */
export function bearer(key: string): Record<string, string> {
  return credentials(`Bearer ${key}`);
}

/** Returns the header with any value, right or wrong, and no header for null. */
export function credentials(value: string | null): Record<string, string> {
  return value === null ? {} : { authorization: value };
}

/** Returns null without a response; calls `onBroken` unless the connection was refused and so nothing was sent. */
export async function unlessBroken<T>(request: Promise<T>, onBroken?: () => void): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
    // Fetch throws a TypeError, and so does the body if it is cut off.
    if (!isTimeout && !(error instanceof TypeError)) throw error;
    const { cause } = error;
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED')) onBroken?.();
    return null;
  }
}

/** Returns the body of a response, and throws unless its status is 200. */
export function bodyOrThrow<Body>(response: ApiResponse<Body>): Body {
  if (response.status !== 200) throw unexpected(response.status, response.text);
  return response.body;
}

function unexpected(status: number, text: string): Error {
  return new Error(`expected 200, got ${status}: ${text.slice(0, 1000)}`);
}

function isSameState(one: Task | undefined, other: Task): boolean {
  const stateOf = ({ status, stage, progress, attempt }: Task) => `${status} ${stage} ${progress} ${attempt}`;
  return one !== undefined && stateOf(one) === stateOf(other);
}
