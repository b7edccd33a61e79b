import type { ListVideos, Task } from '@kinora/sdk';
import { fromJsonSchema } from '@modelcontextprotocol/server';
import { contract } from '../../generated/contract.ts';
import { defineTool } from '../define-tool.ts';
import { inputSchema } from '../input-schema.ts';
import { progressMessage } from '../progress-reporter.ts';
import { summaryOf, taskSummarySchema } from '../task-result.ts';

const outputSchema = fromJsonSchema({
  type: 'object',
  required: ['videos', 'next_after'],
  properties: {
    videos: { type: 'array', items: taskSummarySchema },
    next_after: {
      type: ['string', 'null'],
      description: 'Send it as `after` for the next page; null where there is none.',
    },
  },
});

/** Lists the tasks of the project, newest first. */
export const listVideos = defineTool<ListVideos>({
  name: 'list_videos',
  title: 'List videos',
  description:
    'The tasks of the project, newest first, with their links where they are completed. `q` finds words of the prompt.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  inputSchema: inputSchema<ListVideos>(contract.listFields, []),
  outputSchema,
  async run(kinora, query) {
    const limit = query.limit ?? contract.listFields.limit.default;
    const tasks: Task[] = [];
    for await (const task of kinora.videos.list({ ...query, limit })) {
      tasks.push(task);
      if (tasks.length === limit) break;
    }
    const nextAfter = tasks.length === limit ? (tasks.at(-1)?.id ?? null) : null;
    const lines = tasks.map(lineOf);
    if (nextAfter) lines.push(`There may be more: call list_videos with after: ${nextAfter}.`);
    return {
      content: [{ type: 'text', text: lines.join('\n') || 'No matching videos.' }],
      structuredContent: { videos: tasks.map(summaryOf), next_after: nextAfter },
    };
  },
});

function lineOf(task: Task): string {
  const { id, created_at: createdAt, size, duration, prompt, video_url: url } = task;
  const made = new Date(createdAt * 1000).toISOString().slice(0, 16).replace('T', ' ');
  return [
    id,
    made,
    progressMessage(task),
    `${size}, ${duration} s`,
    JSON.stringify(prompt),
    ...(url === null ? [] : [url]),
  ].join(' | ');
}
