import { imageBytes, sampleImage } from './sample-image.ts';

/** What belongs to the project whose things everybody asks for. */
export interface Things {
  task_id: string;
  file_id: string;
  endpoint_id: string;
  delivery_id: string;
  key_id: string;
}

/** How to ask for an operation so that a valid key gets a 2xx. */
export interface Shape {
  query?: string;
  body?: unknown;
  /** A file in a form, instead of a JSON body. */
  file?: Buffer;
  /** What the operation uses up: a new one is made for the request that is to succeed. */
  usesUp?: 'task' | 'file' | 'endpoint' | 'key';
  /** Which of the tasks the path names. */
  needs?: 'completed task';
  /** What the path names belongs to no project: every key that is let in may read it. */
  isShared?: true;
}

const prompt = 'A lighthouse at dusk';
const small = { prompt, resolution: '480p', duration: 1 };

/** Every operation there is: the proof fails when this list and the OpenAPI file differ in either direction. */
export const shapes: Readonly<Record<string, Shape>> = {
  'POST /v1/videos/text-to-video': { body: small },
  'POST /v1/videos/image-to-video': { body: { ...small, image_url: sampleImage(1) } },
  'POST /v1/videos/estimate': { body: small },
  'POST /v1/videos': { body: { prompt, seconds: '1', size: '854x480' } },
  'GET /v1/videos': {},
  'GET /v1/videos/{task_id}': {},
  'DELETE /v1/videos/{task_id}': { usesUp: 'task' },
  'POST /v1/videos/{task_id}/cancel': { usesUp: 'task' },
  'GET /v1/videos/{task_id}/timeline': {},
  'GET /v1/videos/{task_id}/content': { needs: 'completed task' },
  'GET /v1/videos/{task_id}/events': {},
  'GET /v1/events': {},
  'POST /v1/files': { file: imageBytes(1) },
  'GET /v1/files/{file_id}': {},
  'DELETE /v1/files/{file_id}': { usesUp: 'file' },
  'GET /v1/models': {},
  'GET /v1/models/{model_id}': { isShared: true },
  'GET /v1/limits': {},
  'GET /v1/usage': {},
  'GET /v1/webhook-endpoints': {},
  // Nothing starts while these are asked for, so that they send nothing by themselves.
  'POST /v1/webhook-endpoints': {
    body: { url: 'https://example.com/hook', events: ['video.started'] },
    usesUp: 'endpoint',
  },
  'GET /v1/webhook-endpoints/{endpoint_id}': {},
  'PATCH /v1/webhook-endpoints/{endpoint_id}': { body: { description: 'of the proof' } },
  'DELETE /v1/webhook-endpoints/{endpoint_id}': { usesUp: 'endpoint' },
  'POST /v1/webhook-endpoints/{endpoint_id}/rotate-secret': { body: {} },
  'POST /v1/webhook-endpoints/{endpoint_id}/test': {},
  'GET /v1/webhook-endpoints/callback-secret': {},
  'POST /v1/webhook-endpoints/callback-secret/rotate': { body: {} },
  'GET /v1/webhook-deliveries': {},
  'GET /v1/webhook-deliveries/{delivery_id}': {},
  'POST /v1/webhook-deliveries/{delivery_id}/redeliver': {},
  'GET /v1/api-keys': {},
  'POST /v1/api-keys': { body: { name: 'of the proof' } },
  'POST /v1/api-keys/{key_id}/rotate': { body: { overlap_seconds: 60 }, usesUp: 'key' },
  'DELETE /v1/api-keys/{key_id}': { usesUp: 'key' },
  'GET /healthz': {},
  'GET /readyz': {},
};

/** Ids of the right form that nobody has. */
export const unknownThings: Things = {
  task_id: 'task_01k9zqv3x4e8rb6t7y2m5n0p1q',
  file_id: 'file_01k9zqv3x4e8rb6t7y2m5n0p1q',
  endpoint_id: 'whk_01k9zqv3x4e8rb6t7y2m5n0p1q',
  delivery_id: 'del_01k9zqv3x4e8rb6t7y2m5n0p1q',
  key_id: 'key_01k9zqv3x4e8rb6t7y2m5n0p1q',
};

/** What every installation has, for paths that name nothing of a project. */
const shared: Readonly<Record<string, string>> = { model_id: 'animatic' };

/** The path with its ids put in. */
export function pathFor(path: string, things: Things, query = ''): string {
  // A parameter without a thing stays as it is and shows up as a wrong outcome.
  return (
    path.replaceAll(/\{(\w+)\}/g, (all, name: string) => things[name as keyof Things] ?? shared[name] ?? all) + query
  );
}
