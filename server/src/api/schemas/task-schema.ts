import { type Static, Type } from 'typebox';
import { aspectRatios, imageFits, resolutions } from '../../domain/generation-request.ts';
import { describedReference, nullable, objectKind, reference, unixSeconds } from '../../http/schema-parts.ts';
import { exampleTask } from './example-task.ts';

export const warningSchema = Type.Object(
  {
    code: Type.String({
      description: 'What the warning is about, for programs. The page /docs lists all codes. More values may be added.',
    }),
    param: nullable(
      Type.String({ description: 'The parameter that the warning is about. Null if it is about no single parameter.' }),
    ),
    message: Type.String({ description: 'What happened and what to do, for people.' }),
  },
  { $id: 'Warning', description: 'The request was accepted, but perhaps not as it was meant.' },
);

export const priceSchema = Type.Object(
  {
    amount: Type.String({ description: 'The amount as a decimal number, such as `0.12`.' }),
    currency: Type.String({ description: 'The ISO 4217 code of the currency, such as `USD`.' }),
  },
  { $id: 'Price', description: 'A price from the price list of this installation. Kinora itself charges nothing.' },
);

export const videoSchema = Type.Object(
  {
    url: nullable(
      Type.String({
        format: 'uri',
        description:
          'The signed URL of the MP4 file, new on every read. It needs no header and supports `Range`. Null if the ' +
          'URL could not be signed just now: read the task again.',
      }),
    ),
    url_expires_at: nullable(
      unixSeconds('When the URLs in this object stop working. Read the task again to get new ones.'),
    ),
    content_type: Type.String({ description: 'The media type of the file: `video/mp4`.' }),
    width: Type.Integer({ description: 'The width of the video in pixels.' }),
    height: Type.Integer({ description: 'The height of the video in pixels.' }),
    rendered: Type.Object(
      {
        width: Type.Integer({ description: 'The width that the engine rendered, in pixels.' }),
        height: Type.Integer({ description: 'The height that the engine rendered, in pixels.' }),
      },
      { description: 'The size that the engine rendered, before the video was scaled and cropped to its final size.' },
    ),
    fps: Type.Number({ description: 'Frames per second.' }),
    frame_count: Type.Integer({ description: 'The number of frames.' }),
    duration: Type.Number({ description: 'The measured length of the video in seconds.' }),
    size_bytes: Type.Integer({ description: 'The size of the file in bytes.' }),
    sha256: Type.String({ description: 'The SHA-256 hash of the file, in hexadecimal.' }),
    has_audio: Type.Boolean({ description: 'Whether the file has a sound track.' }),
    thumbnail_url: nullable(
      Type.String({
        format: 'uri',
        description: 'The signed URL of a JPEG image of one frame. Null if `url` is null.',
      }),
    ),
    spritesheet_url: nullable(
      Type.String({
        format: 'uri',
        description: 'The signed URL of a JPEG image with frames from the whole video. Null if `url` is null.',
      }),
    ),
    provenance: nullable(
      Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
      'Always null. Reserved for a signed record of how the video was made.',
    ),
  },
  { $id: 'Video', description: 'The finished video and its files.' },
);

const image = Type.Object(
  {
    sha256: Type.String({ description: 'The SHA-256 hash of the stored image, in hexadecimal.' }),
    width: Type.Integer({ description: 'The width of the stored image in pixels.' }),
    height: Type.Integer({ description: 'The height of the stored image in pixels.' }),
    fit: Type.Enum(imageFits, {
      type: 'string',
      description:
        'How an image of another aspect ratio is fitted into the video. `crop`: its edges are cut off. `pad`: bars ' +
        'are added. `stretch`: it is distorted.',
    }),
  },
  {
    description: 'The input image as the service stored it, without the URL that it came from. Null for text to video.',
  },
);

const taskError = Type.Object(
  {
    code: Type.String({
      description: 'Why the task failed, for programs. The page /docs lists all codes. More values may be added.',
    }),
    message: Type.String({ description: 'What happened and what to do, for people.' }),
    retryable: Type.Boolean({ description: 'Whether a new task with the same request may succeed.' }),
    stage: Type.String({ description: 'The stage in which the task failed.' }),
  },
  { description: 'Why the task failed. Null unless `status` is `failed`.' },
);

const usage = Type.Object(
  {
    engine_seconds: Type.Number({ description: 'Seconds that the engine worked on the task, over all attempts.' }),
    video_seconds: Type.Number({ description: 'Seconds of video that were delivered; 0 unless the task completed.' }),
    billable: Type.Boolean({
      description: 'Whether the task counts as billable: only completed tasks in live mode do.',
    }),
    price: Type.Optional(
      describedReference(
        priceSchema,
        'What the task costs. Absent if the task is not billable or its model has no price.',
      ),
    ),
  },
  { description: 'What the task used. Null until the task has ended.' },
);

const taskStatus = Type.Enum(['queued', 'in_progress', 'completed', 'failed', 'cancelled'], {
  type: 'string',
  description:
    '`queued`: waiting for an engine. `in_progress`: being rendered. `completed`: the video is ready. `failed`: see ' +
    '`error`. `cancelled`: ended by a request to cancel or delete it. The last three are final.',
});

const taskType = Type.Enum(['text_to_video', 'image_to_video'], {
  type: 'string',
  description: 'What the video is made from: a prompt alone, or a prompt and an image.',
});

export const taskMetadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'The metadata that the request set, unchanged.',
});

export const taskSchema = Type.Object(
  {
    task_id: Type.String({ description: 'The id of the task. Read the task with `GET /v1/videos/{task_id}`.' }),
    id: Type.String({ description: 'The same as `task_id`.' }),
    object: objectKind('video'),
    type: taskType,
    livemode: Type.Boolean({ description: 'True for a task of a live key, false for a task of a test key.' }),
    status: taskStatus,
    is_final: Type.Boolean({ description: 'True once `status` cannot change any more.' }),
    stage: Type.Enum(['waiting', 'preparing', 'rendering', 'finishing'], {
      type: 'string',
      description:
        'The current step, or the last one if the task has ended. `waiting`: in the queue. `preparing`: the engine ' +
        'gets the request. `rendering`: the engine works. `finishing`: the video is checked, scaled and stored. More ' +
        'values may be added.',
    }),
    progress: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'Percent done. It never decreases within an attempt, and is 100 only when the task has completed.',
    }),
    progress_source: Type.Enum(['engine', 'estimated', 'none'], {
      type: 'string',
      description:
        'Where `progress` comes from. `engine`: the engine reports it. `estimated`: it is calculated from the time ' +
        'that similar tasks took. `none`: it is not known yet.',
    }),
    queue_position: nullable(
      Type.Integer({
        description:
          'The place in the queue; 1 is next. Null if the task is not waiting, or if its place is not reliably known.',
      }),
    ),
    estimated_completion_at: nullable(
      unixSeconds(
        'When the task will probably complete. Null if the task has ended, or if no reliable estimate exists.',
      ),
    ),
    poll_after_ms: Type.Integer({
      description:
        'How long to wait before the next read of this task, in milliseconds, to stay within the read limit.',
    }),
    events_url: nullable(
      Type.String({
        format: 'uri',
        description:
          'The signed URL of the task’s server-sent events, new on every read. It works for an hour and needs no ' +
          'header. Anyone who has it sees the progress and the video, but no prompts, metadata, warnings or usage.',
      }),
    ),
    model: Type.String({
      description: 'The id of the model that renders the video, also if the request named an alias.',
    }),
    prompt: Type.String({ description: 'The prompt of the request, trimmed.' }),
    negative_prompt: nullable(Type.String({ description: 'What the video should not show. Null if none was sent.' })),
    resolution: Type.Enum(resolutions, {
      type: 'string',
      description: 'The resolution of the video; `size` has its width and height.',
    }),
    aspect_ratio: Type.Enum(aspectRatios, {
      type: 'string',
      description: 'The ratio of width to height: the one requested, or the nearest to the input image.',
    }),
    duration: Type.Integer({ description: 'The requested length of the video in seconds.' }),
    seed: Type.Integer({ description: 'The seed that is used. The same request with this seed makes the same video.' }),
    seconds: Type.String({ description: 'The same as `duration`, as a string: OpenAI-compatible clients expect it.' }),
    size: Type.String({ description: 'Width and height of the video in pixels, such as `1280x720`.' }),
    image: nullable(image),
    created_at: unixSeconds('When the task was accepted.'),
    started_at: nullable(unixSeconds('When the first attempt started. Null before that.')),
    completed_at: nullable(unixSeconds('When the task ended: completed, failed or cancelled. Null before that.')),
    expires_at: nullable(unixSeconds('When the files of the task are deleted. Null unless `status` is `completed`.')),
    video_url: nullable(
      Type.String({ format: 'uri', description: 'The same as `video.url`. Null unless `status` is `completed`.' }),
    ),
    video: nullable(reference(videoSchema), 'The finished video. Null unless `status` is `completed`.'),
    error: nullable(taskError),
    usage: nullable(usage),
    attempt: Type.Integer({
      description: 'The number of the current attempt. It grows when the service itself tries again after a failure.',
    }),
    warnings: Type.Array(reference(warningSchema), {
      description: 'What was accepted but perhaps not as it was meant. Empty if there is nothing to say.',
    }),
    metadata: taskMetadata,
  },
  { $id: 'Task', description: 'A generation task. Every field is always present.', examples: [exampleTask] },
);

export type PublicTask = Static<typeof taskSchema>;
