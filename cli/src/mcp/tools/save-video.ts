import { pathToFileURL } from 'node:url';
import { fromJsonSchema } from '@modelcontextprotocol/server';
import { UsageError } from '../../exit-codes.ts';
import { defineTool } from '../define-tool.ts';
import { inputSchema } from '../input-schema.ts';
import { saveInFolder } from '../save-in-folder.ts';
import { describeTask } from '../task-result.ts';
import { type TaskId, taskIdField } from './task-id-field.ts';

type Input = TaskId & { file_name?: string };

/** 1 GB: far more than a video of 10 s has, and less than what fills a disk. */
const maxBytes = 1_000_000_000;

const outputSchema = fromJsonSchema({
  type: 'object',
  required: ['task_id', 'path', 'size_bytes'],
  properties: {
    task_id: { type: 'string' },
    path: { type: 'string', description: 'The absolute path of the saved file.' },
    size_bytes: { type: 'integer' },
  },
});

/** Saves a finished video as a file on this computer. */
export const saveVideo = defineTool<Input>({
  name: 'save_video',
  title: 'Save a video',
  description:
    'Saves the MP4 of a completed task on this computer, in the folder that the user chose for it, and returns the path. ' +
    'Use it when the user wants a file. It never overwrites a file. If no folder is set, the error names the option that ' +
    'the user must add.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  inputSchema: inputSchema<Input>(
    {
      task_id: taskIdField,
      file_name: {
        type: 'string',
        minLength: 1,
        description: 'A plain name such as paper-boat.mp4, without folders. Default: the task_id.',
      },
    },
    ['task_id'],
  ),
  outputSchema,
  async run(kinora, { task_id: taskId, file_name: name = taskId }, { signal, saveFolder }) {
    const task = await kinora.videos.get(taskId, { signal });
    if (task.status !== 'completed') throw new UsageError(describeTask(task));
    const { size_bytes: size } = task.video;
    if (size > maxBytes) throw new UsageError('The video is larger than 1 GB. Use `kinora download` instead.');
    const path = await saveInFolder(saveFolder, name, (file) =>
      kinora.videos.save(task.id, file, {
        signal,
        overwrite: false,
        onProgress({ savedBytes }) {
          if (savedBytes > size) throw new UsageError('The service sent more bytes than the video has.');
        },
      }),
    );
    return {
      content: [
        { type: 'text', text: `The video of ${task.id} is saved as ${path}` },
        {
          type: 'resource_link',
          uri: pathToFileURL(path).href,
          name: `${task.id}.mp4`,
          mimeType: 'video/mp4',
          size,
        },
      ],
      structuredContent: { task_id: task.id, path, size_bytes: size },
    };
  },
});
