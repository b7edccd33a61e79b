import {
  ConflictError,
  GoneError,
  InvalidRequestError,
  KinoraError,
  NotFoundError,
  TaskCancelledError,
  TaskFailedError,
} from './errors.ts';
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

/** A text-to-video request. */
export type TextToVideo = Omit<TextToVideoRequest, 'image_url'> & NoImageUrl;
/** An image-to-video request. The image is bytes, a URL or the id of an uploaded file. */
export type ImageToVideo = Omit<ImageToVideoRequest, 'image_url'> & NoImageUrl & { image: ImageSource };
/** The client takes images of every kind as `image`, and makes `image_url` of it. */
type NoImageUrl = { image_url?: never };
type ListQuery = NonNullable<ListVideosData['query']>;
type ListedStatus = NonNullable<ListQuery['status']>[number];
/**
 * Filters of a list. `status` is one status or several; `metadata` finds tasks with all of these pairs. `limit` is the
 * number of tasks per page, not of the whole list.
 */
export type ListVideos = Omit<ListQuery, 'status'> & { status?: ListedStatus | readonly ListedStatus[] };

/** Options of a call that creates a task. */
export interface CreateOptions extends RequestOptions {
  /**
   * The same key with the same request always returns the same task. Default: a new random key, which makes the
   * client's own retries safe. Image bytes of more than 10 MB are uploaded on every call, which makes it a different
   * request: call `upload` once and pass the id instead.
   */
  idempotencyKey?: string | undefined;
}

/** Options of `run`. */
export interface RunOptions extends CreateOptions {
  /** Called with the created task and after every change, such as a new stage, progress or queue position. */
  onProgress?: ((task: Task) => void) | undefined;
}

/** Creates, follows, lists and downloads videos. */
export interface Videos {
  /** Creates a text-to-video task and returns it without waiting for the video. */
  textToVideo(request: TextToVideo, options?: CreateOptions): Promise<Task>;
  /** Creates an image-to-video task and returns it without waiting for the video. Image bytes are uploaded first. */
  imageToVideo(request: ImageToVideo, options?: CreateOptions): Promise<Task>;
  /**
   * Creates a task, follows it to its end and returns the completed task. Throws TaskFailedError or TaskCancelledError
   * if it ends in another way. Aborting the signal cancels the task. Any other KinoraError, including one that prevents
   * the cancellation, carries the task as `error.task` if it was created.
   */
  run(request: TextToVideo | ImageToVideo, options?: RunOptions): Promise<Task>;
  /** Returns how the service would resolve a request and what it would cost. Creates nothing. */
  estimate(request: TextToVideo | ImageToVideo, options?: RequestOptions): Promise<Estimate>;
  /** Returns a task. With `waitSeconds` (at most 60), it returns when the task is final or the time is over. */
  get(taskId: string, options?: RequestOptions & { waitSeconds?: number | undefined }): Promise<Task>;
  /** Yields a task now and after every change, until it is final: `for await (const task of videos.follow(id))`. */
  follow(taskId: string, options?: FollowOptions): AsyncIterable<Task>;
  /** Iterates over every task, newest first by default. Fetches the next page when it is needed. */
  list(query?: ListVideos, options?: RequestOptions): AsyncIterable<Task>;
  /** Cancels a task. It has no effect on a cancelled task, and throws ConflictError if the task completed or failed. */
  cancel(taskId: string, options?: RequestOptions): Promise<Task>;
  /** Deletes a task with its prompt, image and files. A task that is still running is cancelled first. */
  delete(taskId: string, options?: RequestOptions): Promise<DeletedTask>;
  /** Downloads a completed video. Read the response with `await response.blob()`, or stream `response.body`. */
  download(taskId: string, options?: DownloadOptions): Promise<Response>;
  /** Returns the stages and attempts of a task, with their times. */
  timeline(taskId: string, options?: RequestOptions): Promise<Timeline>;
}

/** Options of `download`. */
export interface DownloadOptions extends RequestOptions {
  /** The file to download. Default: `video`. */
  variant?: 'video' | 'thumbnail' | 'spritesheet' | undefined;
}

/** Creates the `videos` part of a client. `maxFailures` limits the consecutive failures while a task is followed. */
export function createVideos(http: Http, maxFailures: number): Videos {
  const pathOf = (taskId: string, rest = '') => `/v1/videos/${encodeURIComponent(taskId)}${rest}`;

  function create(
    operation: string,
    body: unknown,
    { idempotencyKey, signal }: CreateOptions,
    onPossiblyReceived?: () => void,
  ): Promise<Task> {
    const headers = { 'idempotency-key': idempotencyKey ?? newKey() };
    return http.json<Task>({
      method: 'POST',
      path: `/v1/videos/${operation}`,
      body,
      headers,
      signal,
      onPossiblyReceived,
    });
  }

  async function bodyOf(
    request: TextToVideo | ImageToVideo,
    { idempotencyKey, signal }: CreateOptions,
  ): Promise<unknown> {
    refuseImageUrl(request);
    if (!hasImage(request)) return request;
    const { image, ...rest } = request;
    const preferInline = idempotencyKey !== undefined;
    return { ...rest, image_url: await imageUrlOf(http, image, { preferInline, signal }) };
  }

  const videos: Videos = {
    textToVideo: async (request, options = {}) => create('text-to-video', await bodyOf(request, options), options),
    imageToVideo: async (request, options = {}) => create('image-to-video', await bodyOf(request, options), options),

    async run(request, options = {}) {
      const { signal, onProgress } = options;
      // Chosen here, so that a create whose response was lost to an abort can be found by its key and cancelled.
      const idempotencyKey = options.idempotencyKey ?? newKey();
      const operation = hasImage(request) ? 'image-to-video' : 'text-to-video';
      let body: unknown;
      let mayExist = false as boolean; // the assertion keeps the type wide: a callback changes the value
      let task: Task | null = null;
      try {
        signal?.throwIfAborted();
        body = await bodyOf(request, options);
        task = await create(operation, body, { idempotencyKey, signal }, () => {
          mayExist = true;
        });
        onProgress?.(task);
        if (!task.is_final) {
          for await (const changed of followTask(http, task.id, { signal }, maxFailures, task)) {
            task = changed;
            onProgress?.(task);
          }
        }
      } catch (error) {
        if (!signal?.aborted) throw withTask(error, task);
        // If no create reached the service, sending one now would create an unwanted task.
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

    follow: (taskId, options = {}) => followTask(http, taskId, options, maxFailures),

    list: ({ metadata = {}, ...query } = {}, { signal } = {}) => {
      const pairs = Object.entries(metadata).map(([key, value]) => [`metadata[${key}]`, value]);
      return everyItem<Task>(http, '/v1/videos', { ...query, ...Object.fromEntries(pairs) }, signal);
    },

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

/** Without this, a request with `image_url` would become a text-to-video, and the image would be ignored. */
function refuseImageUrl(request: { image_url?: unknown }): void {
  if (request.image_url === undefined || request.image_url === null) return;
  throw new InvalidRequestError('Pass the image as `image` instead of `image_url`: bytes, a URL or a file id.', {
    param: 'image_url',
  });
}

function hasImage(request: TextToVideo | ImageToVideo): request is ImageToVideo {
  return 'image' in request && request.image !== undefined && request.image !== null;
}

/** Returns a random idempotency key. Pages without https have no `randomUUID`. */
function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/**
 * Returns null if the service rejected the create, so that there is nothing to cancel. Rethrows if a task may exist.
 */
function nothingCreated(error: unknown): null {
  // A proxy's error page has no code, and does not show what the service did.
  const isResponse = error instanceof KinoraError && error.code !== undefined && error.status !== undefined;
  if (isResponse && error.status < 500 && !(error instanceof ConflictError)) return null;
  throw error;
}

/** Cancels a task and returns it once it can no longer run. */
async function cancelSurely(videos: Videos, task: Task): Promise<Task> {
  if (task.is_final) return task;
  try {
    return await videos.cancel(task.id);
  } catch (error) {
    if (error instanceof ConflictError) return videos.get(task.id); // it ended before the cancel arrived
    if (error instanceof GoneError || error instanceof NotFoundError) return task; // it was deleted, which stops it too
    throw withTask(error, task);
  }
}

/** Adds the task to an error: it is still running, and the caller can follow it instead of creating a second one. */
function withTask(error: unknown, task: Task | null): unknown {
  if (error instanceof KinoraError) error.task ??= task;
  return error;
}
