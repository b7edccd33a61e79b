import { ConflictError, GoneError, KinoraError, NotFoundError, TaskCancelledError, TaskFailedError } from './errors.ts';
import { everyItem } from './every-item.ts';
import { type FollowOptions, followTask } from './follow-task.ts';
import type {
  DeletedTask,
  Estimate,
  ImageToVideoRequest,
  ListVideosData,
  Task,
  TextToVideoRequest,
  Timeline,
} from './generated/types.ts';
import type { Http, HttpRequest, RequestOptions } from './http.ts';
import { type ImageSource, imageUrlOf } from './image-source.ts';

/** What text to video takes. */
export type TextToVideo = TextToVideoRequest;
/** What image to video takes: the image as bytes, as a URL, or as the id of an uploaded file. */
export type ImageToVideo = Omit<ImageToVideoRequest, 'image_url'> & { image: ImageSource };
/** What narrows a list down; `limit` is the size of its pages, not of the list. */
export type ListVideos = NonNullable<ListVideosData['query']>;

/** How a task is created. */
export interface CreateOptions extends RequestOptions {
  /**
   * The same key and request always mean the same task. Without one a new key is made, which protects the retries. Bytes of more
   * than 10 MB are uploaded anew each time, and so make another request: upload them once yourself.
   */
  idempotencyKey?: string | undefined;
}

/** How a video is run to its end. */
export interface RunOptions extends CreateOptions {
  /** Told whenever the task has changed: stage, progress, position. */
  onProgress?: ((task: Task) => void) | undefined;
}

/** Everything about videos. */
export interface Videos {
  /** Creates a task from a prompt. */
  textToVideo(request: TextToVideo, options?: CreateOptions): Promise<Task>;
  /** Creates a task from an image and a prompt; bytes are uploaded first. */
  imageToVideo(request: ImageToVideo, options?: CreateOptions): Promise<Task>;
  /**
   * Creates a task, follows it and hands it back completed. Throws TaskFailedError or TaskCancelledError, each with the task. An
   * abort cancels the task; where even that cannot be done, what prevented it is thrown, with the task too.
   */
  run(request: TextToVideo | ImageToVideo, options?: RunOptions): Promise<Task>;
  /** What a create would do and cost; creates nothing. */
  estimate(request: TextToVideo | ImageToVideo, options?: RequestOptions): Promise<Estimate>;
  /** A task as it is; with `waitSeconds` (up to 60) as it is when final, or then. */
  get(taskId: string, options?: RequestOptions & { waitSeconds?: number | undefined }): Promise<Task>;
  /** A task as it changes, until it is final. */
  follow(taskId: string, options?: FollowOptions): AsyncIterable<Task>;
  /** Every task, newest first; pages are fetched as they are needed. */
  list(query?: ListVideos, options?: RequestOptions): AsyncIterable<Task>;
  /** Ends an active task; a task that is cancelled already stays so. */
  cancel(taskId: string, options?: RequestOptions): Promise<Task>;
  /** Cancels if need be, and erases prompt, image and files. */
  delete(taskId: string, options?: RequestOptions): Promise<DeletedTask>;
  /** The bytes: `await (await download(id)).blob()`, or stream `.body`. */
  download(taskId: string, options?: DownloadOptions): Promise<Response>;
  /** The stages and attempts of a task with their times. */
  timeline(taskId: string, options?: RequestOptions): Promise<Timeline>;
}

/** What of a video is downloaded. */
export interface DownloadOptions extends RequestOptions {
  /** The video, unless told otherwise. */
  variant?: 'video' | 'thumbnail' | 'spritesheet' | undefined;
}

/** The part of a client that is about videos; `patience` says how often following may fail. */
export function createVideos(http: Http, patience: number): Videos {
  const pathOf = (taskId: string, rest = '') => `/v1/videos/${encodeURIComponent(taskId)}${rest}`;

  function create(
    operation: string,
    body: unknown,
    { idempotencyKey, signal }: CreateOptions,
    onTaken?: () => void,
  ): Promise<Task> {
    const headers = { 'idempotency-key': idempotencyKey ?? newKey() };
    return http.json<Task>({ method: 'POST', path: `/v1/videos/${operation}`, body, headers, signal, onTaken });
  }

  async function bodyOf(
    request: TextToVideo | ImageToVideo,
    { idempotencyKey, signal }: CreateOptions,
  ): Promise<unknown> {
    if (!hasImage(request)) return request;
    const { image, ...rest } = request;
    const mustLookTheSame = idempotencyKey !== undefined;
    return { ...rest, image_url: await imageUrlOf(http, image, { mustLookTheSame, signal }) };
  }

  const videos: Videos = {
    textToVideo: (request, options = {}) => create('text-to-video', request, options),
    imageToVideo: async (request, options = {}) => create('image-to-video', await bodyOf(request, options), options),

    async run(request, options = {}) {
      const { signal, onProgress } = options;
      // Made here, so that a create whose answer an abort cut off can be found again and cancelled.
      const idempotencyKey = options.idempotencyKey ?? newKey();
      const operation = hasImage(request) ? 'image-to-video' : 'text-to-video';
      let body: unknown;
      let mayExist = false as boolean; // which a callback changes
      let task: Task | null = null;
      try {
        signal?.throwIfAborted();
        body = await bodyOf(request, options);
        task = await create(operation, body, { idempotencyKey, signal }, () => {
          mayExist = true;
        });
        onProgress?.(task);
        if (!task.is_final) {
          for await (const changed of followTask(http, task.id, { signal }, patience, task)) {
            task = changed;
            onProgress?.(task);
          }
        }
      } catch (error) {
        if (!signal?.aborted) throw withTask(error, task);
        // Where no create was taken, to send one now would make the task that nobody wants.
        if (mayExist) task ??= await create(operation, body, { idempotencyKey }).catch(nothingCreated);
        throw new TaskCancelledError(task && (await cancelSurely(videos, task)), signal.reason);
      }
      if (task.status === 'failed') throw new TaskFailedError(task);
      if (task.status === 'cancelled') throw new TaskCancelledError(task);
      return task;
    },

    async estimate(request, { signal } = {}) {
      const body = await bodyOf(request, { signal });
      return http.json<Estimate>({ method: 'POST', path: '/v1/videos/estimate', body, signal });
    },

    get(taskId, { waitSeconds, signal } = {}) {
      const request: HttpRequest = { method: 'GET', path: pathOf(taskId), query: { wait: waitSeconds }, signal };
      return http.json<Task>({ ...request, extraMilliseconds: (waitSeconds ?? 0) * 1000 });
    },

    follow: (taskId, options = {}) => followTask(http, taskId, options, patience),

    list: (query = {}, { signal } = {}) => everyItem<Task>(http, '/v1/videos', query, signal),

    cancel: (taskId, { signal } = {}) =>
      http.json<Task>({ method: 'POST', path: pathOf(taskId, '/cancel'), isRepeatable: true, signal }),
    delete: (taskId, { signal } = {}) => http.json<DeletedTask>({ method: 'DELETE', path: pathOf(taskId), signal }),
    download: (taskId, { variant, signal } = {}) =>
      http.send({ method: 'GET', path: pathOf(taskId, '/content'), query: { variant }, signal, isStream: true }),
    timeline: (taskId, { signal } = {}) =>
      http.json<Timeline>({ method: 'GET', path: pathOf(taskId, '/timeline'), signal }),
  };
  return videos;
}

function hasImage(request: TextToVideo | ImageToVideo): request is ImageToVideo {
  return 'image' in request && request.image !== undefined && request.image !== null;
}

/** A random idempotency key. Pages without https have no randomUUID. */
function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** Null where the service has refused the create, so that there is nothing to cancel; otherwise nobody knows. */
function nothingCreated(error: unknown): null {
  // A page of a proxy, which has no code, says nothing of what the service has done.
  const isResponse = error instanceof KinoraError && error.code !== undefined && error.status !== undefined;
  if (isResponse && error.status < 500 && !(error instanceof ConflictError)) return null;
  throw error;
}

/** The task as it is once it cannot go on. */
async function cancelSurely(videos: Videos, task: Task): Promise<Task> {
  if (task.is_final) return task;
  try {
    return await videos.cancel(task.id);
  } catch (error) {
    if (error instanceof ConflictError) return videos.get(task.id); // it ended while the cancel was on its way
    if (error instanceof GoneError || error instanceof NotFoundError) return task; // it was deleted, which ends it too
    throw withTask(error, task);
  }
}

/** Whatever came in the way, the task goes on: it can be found again, and need not be made twice. */
function withTask(error: unknown, task: Task | null): unknown {
  if (error instanceof KinoraError) error.task ??= task;
  return error;
}
