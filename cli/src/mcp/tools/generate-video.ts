import type { ImageToVideo, Kinora, Task } from '@kinora/sdk';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { contract } from '../../generated/contract.ts';
import { describeError } from '../../terminal/describe-error.ts';
import { type Call, defineTool } from '../define-tool.ts';
import { inputSchema } from '../input-schema.ts';
import { isCancelledByUser } from '../is-cancelled-by-user.ts';
import { readImage } from '../read-image.ts';
import { taskOutput, videoResult } from '../task-result.ts';
import { defaultWaitSeconds, waitField, watchTask } from '../watch-task.ts';

type Input = Omit<ImageToVideo, 'image'> & { image?: string; wait_seconds?: number };

const { image_url: imageUrl, ...fields } = contract.requestFields;
const image = {
  ...imageUrl,
  description: `Makes it image to video: the video starts from this picture. The path of a file on this computer, if the user names one, in a folder that the user has shared. Otherwise: ${imageUrl.description}`,
};

/** Creates a task and waits for its video. */
export const generateVideo = defineTool<Input>({
  name: 'generate_video',
  title: 'Generate a video',
  description:
    'Makes a video of 1 to 10 seconds from a prompt, or from a picture and a prompt. It takes seconds to minutes. By default ' +
    'it waits; if the video is not ready in time, the answer names the task_id for wait_for_video: never generate the same ' +
    'again. The answer has a link to the MP4 and a thumbnail. Warnings in it say what was ignored or changed: tell the user. ' +
    'Only prompt is required: leave out what the user did not ask for. describe_models says what each model can do. ' +
    'Cancelling the call cancels the task.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema: inputSchema<Input>({ ...fields, image, wait_seconds: waitField }, ['prompt']),
  outputSchema: taskOutput,
  async run(kinora, { image, wait_seconds: waitSeconds = defaultWaitSeconds, ...request }, call) {
    const created =
      image === undefined
        ? await kinora.videos.textToVideo(request)
        : await kinora.videos.imageToVideo({ ...request, image: await readImage(image, call.pictureFolders) });
    return waitForResult(kinora, created, waitSeconds, call);
  },
});

/** Waits for the video. Otherwise its task is cancelled if the user stopped the call, and its id is returned. */
async function waitForResult(kinora: Kinora, task: Task, waitSeconds: number, call: Call): Promise<CallToolResult> {
  try {
    return await videoResult(kinora, await watchTask(kinora, task, waitSeconds, call), call.signal);
  } catch (error) {
    // The cancel fails if the task has already ended.
    if (isCancelledByUser(call.signal)) await kinora.videos.cancel(task.id).catch(() => undefined);
    const text = `${task.id} was created, but could not be followed: ${describeError(error)}\nCall wait_for_video with this task_id.`;
    return { content: [{ type: 'text', text }], isError: true };
  }
}
