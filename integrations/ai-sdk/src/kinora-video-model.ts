import {
  type Experimental_VideoModelV4,
  type Experimental_VideoModelV4VideoData,
  InvalidArgumentError,
  type JSONValue,
} from '@ai-sdk/provider';
import { ConnectionError, type Kinora, type Task } from '@kinora/sdk';
import { type Connection, connect, sentOnce } from './connection.ts';
import { endOf, KinoraTaskError } from './errors.ts';
import { largestInlineBytes } from './image-file.ts';
import { verifiedWebhook } from './receive-webhook.ts';
import type { KinoraProviderSettings } from './settings.ts';
import { cancelTask, startTask } from './start-task.ts';
import { metadataOf, responseOf, warningsOf } from './task-results.ts';
import { type VideoCallOptions, videoRequestOf } from './video-request.ts';

/** A model id, as listed by `kinora models`. With `default` the service chooses the model. */
export type KinoraVideoModelId = 'default' | 'animatic' | (string & {});

/** Creates an AI SDK video model that uses a Kinora service. */
export function createVideoModel(
  modelId: KinoraVideoModelId,
  settings: KinoraProviderSettings,
): Required<Experimental_VideoModelV4> {
  // The AI SDK retries a call with the same options object. The key and upload stored for it make a retry find the same
  // task.
  const retries = new WeakMap<VideoCallOptions, { idempotencyKey: string; fileId?: string }>();

  async function start(connection: Connection, options: VideoCallOptions) {
    const { request, image, idempotencyKey, cancelOnAbort, warnings } = videoRequestOf(modelId, options);
    const retry = retries.get(options) ?? { idempotencyKey: idempotencyKey ?? crypto.randomUUID() };
    retries.set(options, retry);
    const signal = options.abortSignal;
    const task = await connection.attempt(request, async () => {
      if (image instanceof Uint8Array && image.length > largestInlineBytes) {
        retry.fileId ??= (await connection.client.files.upload(image, { ...sentOnce, signal })).id;
      }
      const first = retry.fileId ?? image;
      const create = first === undefined ? request : { ...request, image: first };
      return startTask(connection.client, create, retry.idempotencyKey, signal);
    });
    return { task, cancelOnAbort, warnings: [...warnings, ...warningsOf(task)] };
  }

  async function videosOf(connection: Connection, task: Task, signal: AbortSignal | undefined) {
    const mediaType = task.video?.content_type ?? 'video/mp4';
    const url = task.video?.url;
    if (settings.delivery === 'url' && url) return [{ type: 'url', url, mediaType }] satisfies VideoData;
    const data = await connection.attempt({}, () => downloadOf(connection.client, task.id, signal));
    return [{ type: 'binary', data, mediaType }] satisfies VideoData;
  }

  return {
    specificationVersion: 'v4',
    provider: 'kinora.video',
    modelId,
    maxVideosPerCall: 1,

    // The AI SDK calls this unless `poll` or `webhook` is given. It follows the task by events, throws typed errors and
    // cancels the task on abort.
    async doGenerate(options) {
      const { abortSignal: signal } = options;
      const connection = connect(settings, options.headers);
      const { task, warnings } = await start(connection, options);
      const ended = await connection.attempt({}, () => endedTask(connection.client, task, signal));
      if (ended.status !== 'completed') throw new KinoraTaskError(ended);
      return {
        videos: await videosOf(connection, ended, signal),
        warnings: [...warnings, ...warningsOf(ended).slice(task.warnings.length)],
        providerMetadata: metadataOf(ended),
        response: responseOf(ended, connection.exchange),
      };
    },

    async handleWebhookOption({ webhook }) {
      const { url, received } = await webhook();
      const secret = settings.webhookSecret;
      return { webhookUrl: url, received: secret === undefined ? received : verifiedWebhook(received, secret) };
    },

    async doStart(options) {
      const connection = connect(settings, options.headers);
      const { task, cancelOnAbort, warnings } = await start(connection, options);
      if (cancelOnAbort) {
        options.abortSignal?.addEventListener('abort', () => void cancelTask(connection.client.videos, task.id), {
          once: true,
        });
      }
      return {
        operation: { taskId: task.id, warnings: task.warnings.length } satisfies Operation,
        warnings,
        providerMetadata: metadataOf(task),
        response: responseOf(task, connection.exchange),
      };
    },

    async doStatus({ operation, abortSignal: signal, headers }) {
      const { taskId, warnings: reported } = operationOf(operation);
      const connection = connect(settings, headers);
      const task = await connection.attempt({}, () => connection.client.videos.get(taskId, { ...sentOnce, signal }));
      const about = { providerMetadata: metadataOf(task), response: responseOf(task, connection.exchange) };
      if (!task.is_final) return { status: 'pending', ...about };
      if (task.status !== 'completed') return { status: 'error', error: endOf(task), ...about };
      const videos = await videosOf(connection, task, signal);
      return { status: 'completed', videos, warnings: warningsOf(task).slice(reported), ...about };
    },
  };
}

type VideoData = Experimental_VideoModelV4VideoData[];

/** What `doStart` passes to `doStatus`: the task, and how many of its warnings were already reported. */
type Operation = { taskId: string; warnings: number };

function operationOf(value: JSONValue): Operation {
  if (value !== null && typeof value === 'object' && 'taskId' in value) {
    const { taskId, warnings } = value;
    if (typeof taskId === 'string') return { taskId, warnings: typeof warnings === 'number' ? warnings : 0 };
  }
  throw new InvalidArgumentError({
    argument: 'operation',
    message: 'This is not an operation of this provider: hand over what startVideo returned as `operation`.',
  });
}

/** Returns the task once it is final. An abort cancels it. */
async function endedTask({ videos }: Kinora, task: Task, signal: AbortSignal | undefined): Promise<Task> {
  try {
    // The task already exists, so the client's own retries are harmless.
    for await (const changed of videos.follow(task.id, { signal })) if (changed.is_final) return changed;
  } catch (error) {
    if (signal?.aborted) await cancelTask(videos, task.id);
    throw error;
  }
  throw new ConnectionError(`The task ${task.id} could not be followed to its end.`, { isRetryable: true });
}

/** Downloads the finished video. */
async function downloadOf({ videos }: Kinora, taskId: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const response = await videos.download(taskId, { ...sentOnce, signal });
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ConnectionError('The download of the video broke off.', { cause, isRetryable: true });
  }
}
