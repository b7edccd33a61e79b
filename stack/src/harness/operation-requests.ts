import { imageBytes, sampleImage } from './sample-image.ts';

/** The ids of one project's objects, which all callers of a proof request. */
export interface Things {
  task_id: string;
  file_id: string;
  endpoint_id: string;
  delivery_id: string;
  key_id: string;
}

/** A request for an operation that succeeds (2xx) with a valid key. */
export interface Shape {
  query?: string;
  body?: unknown;
  /** A file to send in a form, instead of a JSON body. */
  file?: Buffer;
  /** The kind of object that the operation uses up. If its id is in the path, a successful request gets a new one. */
  usesUp?: 'task' | 'file' | 'endpoint' | 'key';
  /** The state that the task in the path must have. */
  needs?: 'completed task';
  /** The object in the path belongs to no project: every valid key may read it. */
  isShared?: true;
}

const prompt = 'A lighthouse at dusk';
const small = { prompt, resolution: '480p', duration: 1 };

/** Every operation of the API. The proof `authorisation` fails if this list and the OpenAPI file differ. */
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
  // No task starts while these are requested, so that no webhook is sent.
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

/** Well-formed ids that do not exist. */
export const unknownThings: Things = {
  task_id: 'task_01k9zqv3x4e8rb6t7y2m5n0p1q',
  file_id: 'file_01k9zqv3x4e8rb6t7y2m5n0p1q',
  endpoint_id: 'whk_01k9zqv3x4e8rb6t7y2m5n0p1q',
  delivery_id: 'del_01k9zqv3x4e8rb6t7y2m5n0p1q',
  key_id: 'key_01k9zqv3x4e8rb6t7y2m5n0p1q',
};

/** Ids that exist in every installation, for paths without an object of a project. */
const shared: Readonly<Record<string, string>> = { model_id: 'animatic' };

/** Puts ids into a path. */
export function pathFor(path: string, things: Things, query = ''): string {
  // A parameter without an id stays as it is; the request then fails, and the proof reports it.
  return (
    path.replaceAll(/\{(\w+)\}/g, (all, name: string) => things[name as keyof Things] ?? shared[name] ?? all) + query
  );
}
