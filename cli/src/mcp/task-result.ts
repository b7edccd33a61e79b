import type { Kinora, Task } from '@kinora/sdk';
import { type CallToolResult, type ContentBlock, fromJsonSchema } from '@modelcontextprotocol/server';
import { contract } from '../generated/contract.ts';
import { progressMessage } from './progress-reporter.ts';

/** The fields of a task that a model gets. */
type TaskSummary = Pick<Task, keyof typeof contract.task.properties>;

/** The schema of `summaryOf`. */
export const taskSummarySchema = contract.task;

/** The schema of the structured content of `taskResult`. */
export const taskOutput = fromJsonSchema(taskSummarySchema);

/** Returns the fields of a task that a model can act on. */
export function summaryOf(task: Task): TaskSummary {
  const shown = Object.entries(task).filter(([field]) => field in taskSummarySchema.properties);
  return Object.fromEntries(shown) as TaskSummary; // a task always has every field
}

/** Returns a task as a tool result: a description, the fields, a link to the video and its thumbnail. */
export async function taskResult(kinora: Kinora, task: Task, signal: AbortSignal): Promise<CallToolResult> {
  const summary = summaryOf(task);
  const content: ContentBlock[] = [{ type: 'text', text: `${describeTask(task)}\n\n${listFields(summary)}` }];
  if (task.video) {
    const { url, content_type: mimeType, size_bytes: size } = task.video;
    const name = `${task.id}.mp4`;
    if (url !== null) content.push({ type: 'resource_link', uri: url, name, title: task.prompt, mimeType, size });
    content.push(...(await thumbnailOf(kinora, task, signal)));
  }
  return { content, structuredContent: { ...summary } };
}

/** Returns the same result, marked as an error if the task failed or was cancelled. */
export async function videoResult(kinora: Kinora, task: Task, signal: AbortSignal): Promise<CallToolResult> {
  const result = await taskResult(kinora, task, signal);
  return task.status === 'failed' || task.status === 'cancelled' ? { ...result, isError: true } : result;
}

/** Describes a task in sentences: its status, what to do next, and its warnings. */
export function describeTask(task: Task): string {
  const warnings = task.warnings.map(({ message }) => `Warning: ${message}`);
  return [headline(task), ...warnings].join('\n');
}

function headline(task: Task): string {
  const { id } = task;
  switch (task.status) {
    case 'completed': {
      if (task.video_url === null) return `${id} is completed, and its files have been deleted since.`;
      const deletedOn = new Date(task.expires_at * 1000).toUTCString();
      return (
        `The video of ${id} is ready. The link is valid for an hour; get_video gives a new one ` +
        `until the file is deleted on ${deletedOn}.`
      );
    }
    case 'failed': {
      const { code, message, retryable } = task.error;
      const advice = retryable ? 'Generating it again may succeed.' : 'The same request would fail again.';
      return `${id} failed: ${message} (${code}) ${advice}`;
    }
    case 'cancelled':
      return `${id} was cancelled: there will be no video.`;
    case 'queued':
    case 'in_progress':
      return `${id} has not ended yet: ${progressMessage(task)}. Call wait_for_video with this task_id; do not generate again.`;
  }
}

function listFields(summary: TaskSummary): string {
  const shown = Object.entries(summary).filter(([field, value]) => value !== null && field !== 'warnings');
  return (
    shown
      // The texts of others are quoted, so that they look like the data that they are.
      .map(([field, value]) => `${field}: ${JSON.stringify(value)}`)
      .join('\n')
  );
}

/** Downloads the thumbnail. The result is useful without it, so errors are ignored. */
async function thumbnailOf(kinora: Kinora, task: Task, signal: AbortSignal): Promise<ContentBlock[]> {
  try {
    const response = await kinora.videos.download(task.id, { variant: 'thumbnail', signal });
    const mimeType = response.headers.get('content-type') ?? 'image/jpeg';
    return [{ type: 'image', data: Buffer.from(await response.arrayBuffer()).toString('base64'), mimeType }];
  } catch {
    return [];
  }
}
