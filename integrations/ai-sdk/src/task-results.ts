import type { SharedV4ProviderMetadata, SharedV4Warning } from '@ai-sdk/provider';
import type { Task } from '@kinora/sdk';
import type { Exchange } from './connection.ts';

/** What the service warned of, as the AI SDK says it. */
export function warningsOf(task: Task): SharedV4Warning[] {
  return task.warnings.map(({ code, param, message }) =>
    // unknown_parameter, unsupported_parameter, ignored_parameter; the rest says that something was done otherwise.
    param !== null && code.endsWith('_parameter')
      ? { type: 'unsupported', feature: param, details: message }
      : { type: 'other', message: `${code}: ${message}` },
  );
}

/** What is known of a task beyond the video itself. `videos` is there once it is completed, one entry a video, as usual. */
export function metadataOf(task: Task): SharedV4ProviderMetadata {
  const { id: taskId, status, stage, progress, model, seed, size, queue_position: queuePosition, error, video } = task;
  const about = { taskId, status, stage, progress, queuePosition, model, seed, size };
  if (status !== 'completed' || !video) return { kinora: { ...about, ...(error ? { error } : {}) } };
  const { width, height, fps, duration, sha256, frame_count: frameCount, has_audio: hasAudio } = video;
  const file = { width, height, fps, frameCount, duration, hasAudio, sha256 };
  return { kinora: { ...about, videos: [{ taskId, model, seed, size, ...file }] } };
}

/** Who answered, and when. */
export function responseOf(task: Task, { responseHeaders }: Exchange) {
  return { timestamp: new Date(), modelId: task.model, headers: responseHeaders };
}
