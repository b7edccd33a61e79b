import type { SharedV4ProviderMetadata, SharedV4Warning } from '@ai-sdk/provider';
import type { Task } from '@kinora/sdk';
import type { Exchange } from './connection.ts';

/** Converts the warnings of a task to the AI SDK's format. */
export function warningsOf(task: Task): SharedV4Warning[] {
  return task.warnings.map(({ code, param, message }) =>
    // unknown_parameter, unsupported_parameter and ignored_parameter name an unsupported feature; other codes do not.
    param !== null && code.endsWith('_parameter')
      ? { type: 'unsupported', feature: param, details: message }
      : { type: 'other', message: `${code}: ${message}` },
  );
}

/** Returns the facts about a task. A completed task also has `videos`, one entry per video, as the AI SDK expects. */
export function metadataOf(task: Task): SharedV4ProviderMetadata {
  const { id: taskId, status, stage, progress, model, seed, size, queue_position: queuePosition, error, video } = task;
  const about = { taskId, status, stage, progress, queuePosition, model, seed, size };
  if (status !== 'completed' || !video) return { kinora: { ...about, ...(error ? { error } : {}) } };
  const { width, height, fps, duration, sha256, frame_count: frameCount, has_audio: hasAudio } = video;
  const file = { width, height, fps, frameCount, duration, hasAudio, sha256 };
  return { kinora: { ...about, videos: [{ taskId, model, seed, size, ...file }] } };
}

/** Returns the `response` field of a result: the model, the time and the headers. */
export function responseOf(task: Task, { responseHeaders }: Exchange) {
  return { timestamp: new Date(), modelId: task.model, headers: responseHeaders };
}
