import { type Static, Type } from 'typebox';
import { aspectRatios, imageFits, resolutions } from '../../domain/generation-request.ts';
import { exampleTask } from './example-task.ts';
import { nullable, reference, unixSeconds } from './schema-parts.ts';

export const warningSchema = Type.Object(
  {
    code: Type.String(),
    param: nullable(Type.String({ description: 'The parameter it is about.' })),
    message: Type.String(),
  },
  { $id: 'Warning', description: 'Something that was accepted, but perhaps not as it was meant.' },
);

export const priceSchema = Type.Object(
  {
    amount: Type.String({ description: 'A decimal number, as `0.12`.' }),
    currency: Type.String({ description: 'ISO 4217, as `USD`.' }),
  },
  { $id: 'Price', description: 'By the prices of the installation. It informs; nothing is charged.' },
);

export const videoSchema = Type.Object(
  {
    url: nullable(
      Type.String({ format: 'uri', description: 'Signed and fresh on every read; needs no header, takes Range.' }),
    ),
    url_expires_at: nullable(unixSeconds('When the URLs stop working; read the task again for fresh ones.')),
    content_type: Type.String(),
    width: Type.Integer(),
    height: Type.Integer(),
    rendered: Type.Object(
      { width: Type.Integer(), height: Type.Integer() },
      { description: 'What the engine really rendered, before it was scaled and cropped.' },
    ),
    fps: Type.Number(),
    frame_count: Type.Integer(),
    duration: Type.Number({ description: 'Seconds.' }),
    size_bytes: Type.Integer(),
    sha256: Type.String(),
    has_audio: Type.Boolean(),
    thumbnail_url: nullable(Type.String({ format: 'uri' })),
    spritesheet_url: nullable(Type.String({ format: 'uri' })),
    provenance: Type.Null(),
  },
  { $id: 'Video', description: 'The delivered video.' },
);

const image = Type.Object(
  {
    sha256: Type.String(),
    width: Type.Integer(),
    height: Type.Integer(),
    fit: Type.Enum(imageFits, { type: 'string' }),
  },
  { description: 'The image as it was taken in; never the URL it came from.' },
);

const taskError = Type.Object(
  {
    code: Type.String(),
    message: Type.String(),
    retryable: Type.Boolean({ description: 'Whether a new task of the same request may succeed.' }),
    stage: Type.String(),
  },
  { description: 'Why the task failed.' },
);

const usage = Type.Object({
  engine_seconds: Type.Number({ description: 'Over all attempts.' }),
  video_seconds: Type.Number(),
  billable: Type.Boolean({ description: 'Only a completed task of live mode is.' }),
  price: Type.Optional(reference(priceSchema)),
});

export const taskSchema = Type.Object(
  {
    task_id: Type.String({ description: 'Read the task under /v1/videos/{task_id}.' }),
    id: Type.String({ description: 'The same as task_id.' }),
    object: Type.Literal('video'),
    type: Type.Enum(['text_to_video', 'image_to_video'], { type: 'string' }),
    livemode: Type.Boolean({ description: 'False for tasks of a test key.' }),
    status: Type.Enum(['queued', 'in_progress', 'completed', 'failed', 'cancelled'], { type: 'string' }),
    is_final: Type.Boolean({ description: 'True once the status cannot change any more.' }),
    stage: Type.Enum(['waiting', 'preparing', 'rendering', 'finishing'], {
      type: 'string',
      description: 'More values may be added.',
    }),
    progress: Type.Integer({ minimum: 0, maximum: 100, description: 'Never falls within an attempt.' }),
    progress_source: Type.Enum(['engine', 'estimated', 'none'], { type: 'string' }),
    queue_position: nullable(Type.Integer({ description: '1 is next; null where nothing honest can be said.' })),
    estimated_completion_at: nullable(unixSeconds('Null where nothing honest can be said.')),
    poll_after_ms: Type.Integer({ description: 'How long to wait before the next read.' }),
    events_url: nullable(
      Type.String({
        format: 'uri',
        description:
          'Server-sent events of the task. Signed for an hour and fresh on every read with a key; needs no header. Shows ' +
          'the progress and the video to every holder of the URL, but no texts and no metadata.',
      }),
    ),
    model: Type.String(),
    prompt: Type.String(),
    negative_prompt: nullable(Type.String()),
    resolution: Type.Enum(resolutions, { type: 'string' }),
    aspect_ratio: Type.Enum(aspectRatios, { type: 'string' }),
    duration: Type.Integer({ description: 'Seconds.' }),
    seed: Type.Integer({ description: 'The seed that was used; send it again for the same video.' }),
    seconds: Type.String({ description: 'duration as text.' }),
    size: Type.String({ description: 'Width and height of the delivered video, as `1280x720`.' }),
    image: nullable(image),
    created_at: unixSeconds('When the task was accepted.'),
    started_at: nullable(unixSeconds('When its first attempt began.')),
    completed_at: nullable(unixSeconds('When it ended, however it ended.')),
    expires_at: nullable(unixSeconds('When its files go.')),
    video_url: nullable(Type.String({ format: 'uri', description: 'The same as video.url.' })),
    video: nullable(reference(videoSchema)),
    error: nullable(taskError),
    usage: nullable(usage),
    attempt: Type.Integer({ description: 'Grows when the service itself tries again.' }),
    warnings: Type.Array(reference(warningSchema)),
    metadata: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
  },
  { $id: 'Task', description: 'A generation task. Every field is always present.', examples: [exampleTask] },
);

export type PublicTask = Static<typeof taskSchema>;
