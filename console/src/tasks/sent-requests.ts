import type { VideoRequest } from '../request-code/video-request.ts';

const prefix = 'kinora.sent.';

/** Keeps what was sent for a task until the tab is closed: the service stores only the resolved request. */
export function rememberSent(taskId: string, request: VideoRequest): void {
  try {
    sessionStorage.setItem(prefix + taskId, JSON.stringify(request));
  } catch {
    // The storage is full: the task's page then shows only the resolved request.
  }
}

export function sentRequest(taskId: string): VideoRequest | null {
  const text = sessionStorage.getItem(prefix + taskId);
  return text === null ? null : (JSON.parse(text) as VideoRequest);
}
