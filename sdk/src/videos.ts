import {
  ConflictError,
  GoneError,
  InvalidRequestError,
  KinoraError,
  NotFoundError,
  TaskCancelledError,
  TaskFailedError,
} from './errors.ts';
import { type FollowOptions, followTask } from './follow-task.ts';
import type {
  DeletedTask,
  Estimate,
  ImageToVideoRequest,
  ListVideosData,
  TextToVideoRequest,
  Timeline,
} from './generated/types.ts';
import type { Http, HttpRequest, RequestOptions } from './http.ts';
import { type ImageSource, imageUrlOf } from './image-source.ts';
import { listPages, type PagePromise } from './list-pages.ts';
import type { ResponsePromise } from './response-promise.ts';
import { type DownloadOptions, type SavedFile, type SaveOptions, saveFile } from './save-file.ts';
import type { DeliveredTask, Task, TaskReference } from './task.ts';

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
   * request: call `files.upload` once and pass the id instead.
   */
  idempotencyKey?: string | undefined;
}

/** Options of `wait`. */
export interface WaitOptions extends FollowOptions {
  /** Called with the task and after every change, such as a new stage, progress or queue position. */
  onProgress?: ((task: Task) => void) | undefined;
}

/** Options of `run`. */
export interface RunOptions extends CreateOptions {
  /** Called with the created task and after every change, such as a new stage, progress or queue position. */
  onProgress?: ((task: Task) => void) | undefined;
}

/** Creates, follows, lists and downloads videos. */
export interface Videos {
  /**
   * Creates a task, follows it to its end and returns the completed task. Throws TaskFailedError or TaskCancelledError
   * if it ends in another way. Aborting the signal cancels the task. Any other KinoraError, including one that prevents
   * the cancellation, carries the task as `error.task` if it was created.
   */
  run(request: TextToVideo | ImageToVideo, options?: RunOptions): Promise<DeliveredTask>;
  /** Creates a text-to-video task and returns it without waiting for the video. */
  textToVideo(request: TextToVideo, options?: CreateOptions): ResponsePromise<Task>;
  /** Creates an image-to-video task and returns it without waiting for the video. Image bytes are uploaded first. */
  imageToVideo(request: ImageToVideo, options?: CreateOptions): ResponsePromise<Task>;
  /** Returns how the service would resolve a request and what it would cost. Creates nothing. */
  estimate(request: TextToVideo | ImageToVideo, options?: RequestOptions): ResponsePromise<Estimate>;
  /** Returns a task. With `waitSeconds` (at most 60), it returns when the task is final or the time is over. */
  get(task: TaskReference, options?: RequestOptions & { waitSeconds?: number | undefined }): ResponsePromise<Task>;
  /**
   * Follows a task to its end and returns the completed task. Throws TaskFailedError or TaskCancelledError if it ends in
   * another way. Aborting the signal stops the waiting; the task keeps running.
   */
  wait(task: TaskReference, options?: WaitOptions): Promise<DeliveredTask>;
  /** Yields a task now and after every change, until it is final: `for await (const task of videos.follow(id))`. */
  follow(task: TaskReference, options?: FollowOptions): AsyncIterable<Task>;
  /** Lists the tasks, newest first by default. */
  list(query?: ListVideos, options?: RequestOptions): PagePromise<Task>;
  /** Cancels a task. It has no effect on a cancelled task, and throws ConflictError if the task completed or failed. */
  cancel(task: TaskReference, options?: RequestOptions): ResponsePromise<Task>;
  /** Deletes a task with its prompt, image and files. A task that is still running is cancelled first. */
  delete(task: TaskReference, options?: RequestOptions): ResponsePromise<DeletedTask>;
  /**
   * Saves a completed video as a file, which is complete or does not exist. For Node, Bun and Deno; the folder must
   * exist.
   */
  save(task: TaskReference, path: string, options?: SaveOptions): Promise<SavedFile>;
  /** Downloads a completed video. Read the response with `await response.blob()`, or stream `response.body`. */
  download(task: TaskReference, options?: DownloadOptions): Promise<Response>;
  /** Returns the stages and attempts of a task, with their times. */
  timeline(task: TaskReference, options?: RequestOptions): ResponsePromise<Timeline>;
}

/** Creates the `videos` part of a client. `maxFailures` limits the consecutive failures while a task is followed. */
export function createVideos(http: Http, maxFailures: number): Videos {
  const path = '/v1/videos';

  function create(
    operation: string,
    body: Promise<unknown>,
    options: CreateOptions,
    onPossiblyReceived?: () => void,
  ): ResponsePromise<Task> {
    const idempotencyKey = options.idempotencyKey ?? newKey();
    return http.json<Task>(
      body.then((body) => ({ ...post(operation, body, options), idempotencyKey, onPossiblyReceived })),
    );
  }

  /** The caller wrote `image`, so errors of the service must not speak of `image_url`. */
  const post = (operation: string, body: unknown, options: RequestOptions): HttpRequest => ({
    ...options,
    method: 'POST',
    path: `${path}/${operation}`,
    body,
    renamedFields: ['image_url', 'image'],
  });

  async function bodyOf(
    request: TextToVideo | ImageToVideo,
    { idempotencyKey, ...options }: CreateOptions,
  ): Promise<unknown> {
    checkRequest(request);
    if (!hasImage(request)) return request;
    const { image, ...rest } = request;
    const preferInline = idempotencyKey !== undefined;
    return { ...rest, image_url: await imageUrlOf(http, image, { ...options, preferInline }) };
  }

  const videos: Videos = {
    textToVideo: (request, options = {}) => create('text-to-video', bodyOf(request, options), options),
    imageToVideo: (request, options = {}) => create('image-to-video', bodyOf(request, options), options),

    async run(request, { onProgress, idempotencyKey: givenKey, ...options } = {}) {
      const { signal } = options;
      const afterAbort = { ...options, signal: undefined };
      // Chosen here, so that a create whose response was lost to an abort can be found by its key and cancelled.
      const idempotencyKey = givenKey ?? newKey();
      const operation = hasImage(request) ? 'image-to-video' : 'text-to-video';
      let body: Promise<unknown> = Promise.resolve();
      let mayExist = false as boolean; // the assertion keeps the type wide: a callback changes the value
      let task: Task | null = null;
      try {
        signal?.throwIfAborted();
        body = bodyOf(request, { ...options, idempotencyKey: givenKey });
        task = await create(operation, body, { ...options, idempotencyKey }, () => {
          mayExist = true;
        });
        onProgress?.(task);
        if (!task.is_final) {
          for await (const changed of followTask(http, task.id, options, maxFailures, task)) {
            task = changed;
            onProgress?.(task);
          }
        }
      } catch (error) {
        if (!signal?.aborted) throw withTask(error, task);
        // If no create reached the service, sending one now would create an unwanted task.
        if (mayExist) task ??= await create(operation, body, { ...afterAbort, idempotencyKey }).catch(nothingCreated);
        throw new TaskCancelledError(task && (await cancelSurely(videos, task, afterAbort)), signal.reason);
      }
      return delivered(task);
    },

    async wait(reference, { onProgress, ...options } = {}) {
      let task: Task | null = null;
      try {
        for await (const changed of followTask(http, idOf(reference), options, maxFailures)) {
          task = changed;
          onProgress?.(task);
        }
      } catch (error) {
        throw withTask(error, task);
      }
      return delivered(task);
    },

    estimate: (request, options = {}) =>
      http.json<Estimate>(bodyOf(request, options).then((body) => post('estimate', body, options))),

    get(reference, { waitSeconds, ...options } = {}) {
      const request = {
        ...options,
        method: 'GET',
        path: [path, idOf(reference)],
        query: { wait: waitSeconds },
      } as const;
      return http.json<Task>({ ...request, extraMilliseconds: (waitSeconds ?? 0) * 1000 });
    },

    follow: (reference, options = {}) => followTask(http, idOf(reference), options, maxFailures),

    list: (query = {}, options = {}) => listPages<Task>(http, path, query, options),

    cancel: (reference, options) =>
      http.json<Task>({ ...options, method: 'POST', path: [path, idOf(reference), 'cancel'], isRepeatable: true }),
    delete: (reference, options) =>
      http.json<DeletedTask>({ ...options, method: 'DELETE', path: [path, idOf(reference)] }),
    save: (reference, file, options = {}) =>
      saveFile((one) => videos.download(reference, one), file, options, maxFailures),
    download: (reference, { variant, ...options } = {}) =>
      http.send({
        ...options,
        method: 'GET',
        path: [path, idOf(reference), 'content'],
        query: { variant },
        isStream: true,
      }),
    timeline: (reference, options) =>
      http.json<Timeline>({ ...options, method: 'GET', path: [path, idOf(reference), 'timeline'] }),
  };
  return videos;
}

/** Returns the id. If it is not a string, because a JavaScript caller passed something else, the request is rejected. */
function idOf(task: TaskReference): unknown {
  return typeof task === 'object' ? task?.id : task;
}

/** Returns a final task if it has a video that can be downloaded; otherwise throws the error that says why not. */
function delivered(task: Task | null): DeliveredTask {
  if (task?.status === 'failed') throw new TaskFailedError(task);
  if (task?.status === 'cancelled') throw new TaskCancelledError(task);
  if (task?.status === 'completed' && task.video_url !== null) return task as DeliveredTask; // signed at the same time
  throw withTask(
    new GoneError('The video was made, but the service sent no URL for it. Its files may have expired.'),
    task,
  );
}

/** Without this, a request with `image_url` would become a text-to-video, and the image would be ignored. */
function checkRequest(request: { image_url?: unknown } | undefined): void {
  if (typeof request !== 'object' || request === null) {
    throw new InvalidRequestError("The request must be an object, such as { prompt: 'a paper boat' }.");
  }
  if (request.image_url === undefined || request.image_url === null) return;
  throw new InvalidRequestError('Pass the image as `image` instead of `image_url`: bytes, a URL or a file id.', {
    param: 'image_url',
  });
}

function hasImage(request: TextToVideo | ImageToVideo): request is ImageToVideo {
  const { image } = { image: null, ...request };
  return image !== undefined && image !== null;
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
async function cancelSurely(videos: Videos, task: Task, options: RequestOptions): Promise<Task> {
  if (task.is_final) return task;
  try {
    return await videos.cancel(task, options);
  } catch (error) {
    if (error instanceof ConflictError) return videos.get(task, options); // it ended before the cancel arrived
    if (error instanceof GoneError || error instanceof NotFoundError) return task; // it was deleted, which stops it too
    throw withTask(error, task);
  }
}

/** Adds the task to an error: it is still running, and the caller can follow it instead of creating a second one. */
function withTask(error: unknown, task: Task | null): unknown {
  if (error instanceof KinoraError) error.task ??= task;
  return error;
}
