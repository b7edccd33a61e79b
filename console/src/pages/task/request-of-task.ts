import type { Task } from '@kinora/sdk';
import type { VideoRequest } from '../../request-code/video-request.ts';

/** Stands for an image that nobody knows any more: the API does not give images back. */
export const unknownImage = 'FILE_ID_OR_URL_OF_THE_IMAGE';

/** Returns a request that makes the same video again. `image` is the id of a file with the image of the task. */
export function requestOfTask(task: Task, image: string | null): VideoRequest {
  const fields = {
    prompt: task.prompt,
    ...(task.negative_prompt === null ? {} : { negative_prompt: task.negative_prompt }),
    ...(task.image ? { image: image ?? unknownImage, image_fit: task.image.fit } : {}),
    model: task.model,
    resolution: task.resolution,
    aspect_ratio: task.aspect_ratio,
    duration: task.duration,
    seed: task.seed,
    ...(Object.keys(task.metadata).length === 0 ? {} : { metadata: task.metadata }),
  };
  return fields;
}
