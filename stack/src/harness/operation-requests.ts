import { imageBytes, sampleImage } from './sample-image.ts';

/** The ids of one project's objects. All callers in a proof request these objects. */
export interface ObjectIds {
  task_id: string;
  file_id: string;
  endpoint_id: string;
  delivery_id: string;
  key_id: string;
}

/** A request for an operation that succeeds (2xx) with a valid key. */
export interface OperationRequest {
  query?: string;
  body?: unknown;
  /** A file to send in a form, instead of a JSON body. */
  file?: Buffer;
  /** The kind of object that the operation consumes. If its id is in the path, a valid request gets a new object. */
  consumes?: 'task' | 'file' | 'endpoint' | 'key';
  /** The state that the task in the path must have. */
  needs?: 'completed task';
  /** The object in the path belongs to no project: every valid key may read it. */
  isShared?: true;
}

const prompt = 'A lighthouse at dusk';
const small = { prompt, resolution: '480p', duration: 1 };

/** Every operation of the API. The proof `authorisation` fails if this list and the OpenAPI file differ. */
export const operationRequests: Readonly<Record<string, OperationRequest>> = {
  'POST /v1/videos/text-to-video': { body: small },
  'POST /v1/videos/image-to-video': { body: { ...small, image_url: sampleImage(1) } },
  'POST /v1/videos/estimate': { body: small },
  'POST /v1/videos': { body: { prompt, seconds: '1', size: '854x480' } },
  'GET /v1/videos': {},
  'GET /v1/videos/{task_id}': {},
  'DELETE /v1/videos/{task_id}': { consumes: 'task' },
  'POST /v1/videos/{task_id}/cancel': { consumes: 'task' },
  'GET /v1/videos/{task_id}/timeline': {},
  'GET /v1/videos/{task_id}/content': { needs: 'completed task' },
  'GET /v1/videos/{task_id}/events': {},
  'GET /v1/events': {},
  'POST /v1/files': { file: imageBytes(1) },
  'GET /v1/files/{file_id}': {},
  'DELETE /v1/files/{file_id}': { consumes: 'file' },
  'GET /v1/models': {},
  'GET /v1/models/{model_id}': { isShared: true },
  'GET /v1/limits': {},
  'GET /v1/usage': {},
  'GET /v1/webhook-endpoints': {},
  // No task starts while these are requested, so that no webhook is sent.
  'POST /v1/webhook-endpoints': {
    body: { url: 'https://example.com/hook', events: ['video.started'] },
    consumes: 'endpoint',
  },
  'GET /v1/webhook-endpoints/{endpoint_id}': {},
  'PATCH /v1/webhook-endpoints/{endpoint_id}': { body: { description: 'of the proof' } },
  'DELETE /v1/webhook-endpoints/{endpoint_id}': { consumes: 'endpoint' },
  'POST /v1/webhook-endpoints/{endpoint_id}/rotate-secret': { body: {} },
  'POST /v1/webhook-endpoints/{endpoint_id}/test': {},
  'GET /v1/webhook-endpoints/callback-secret': {},
  'POST /v1/webhook-endpoints/callback-secret/rotate': { body: {} },
  'GET /v1/webhook-deliveries': {},
  'GET /v1/webhook-deliveries/{delivery_id}': {},
  'POST /v1/webhook-deliveries/{delivery_id}/redeliver': {},
  'GET /v1/api-keys': {},
  'POST /v1/api-keys': { body: { name: 'of the proof' } },
  'POST /v1/api-keys/{key_id}/rotate': { body: { overlap_seconds: 60 }, consumes: 'key' },
  'DELETE /v1/api-keys/{key_id}': { consumes: 'key' },
  'POST /v1/tokens': { body: { scopes: ['videos:read'], expires_in_seconds: 60 } },
  'GET /v1/audit-events': {},
  'GET /healthz': {},
  'GET /readyz': {},
};

/** Well-formed ids that do not exist. */
export const unknownIds: ObjectIds = {
  task_id: 'task_01k9zqv3x4e8rb6t7y2m5n0p1q',
  file_id: 'file_01k9zqv3x4e8rb6t7y2m5n0p1q',
  endpoint_id: 'whk_01k9zqv3x4e8rb6t7y2m5n0p1q',
  delivery_id: 'del_01k9zqv3x4e8rb6t7y2m5n0p1q',
  key_id: 'key_01k9zqv3x4e8rb6t7y2m5n0p1q',
};

/** Ids that exist in every installation, for paths without an object of a project. */
const shared: Readonly<Record<string, string>> = { model_id: 'animatic' };

/** Puts ids into a path. */
export function pathFor(path: string, ids: ObjectIds, query = ''): string {
  // A parameter without an id stays as it is; the request then fails, and the proof reports it.
  return (
    path.replaceAll(/\{(\w+)\}/g, (all, name: string) => ids[name as keyof ObjectIds] ?? shared[name] ?? all) + query
  );
}
