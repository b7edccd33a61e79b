import type { Operation } from '@kinora/stack/harness/openapi-operations';
import { type ObjectIds, operationRequests, pathFor } from '@kinora/stack/harness/operation-requests';
import fc from 'fast-check';

export interface GeneratedRequest {
  operation: Operation;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
}

/** The random choices for one request; its ids are chosen from the pool when it is sent. */
interface Plan {
  operation: number;
  /** From 0 to 9: up to 5 the request is valid, at 9 it is entirely random, in between one part is wrong. */
  goodness: number;
  entry: number;
  query: [string, string][];
  field: string;
  value: unknown;
  body: unknown;
  id: string;
  header: [string, string];
}

/** The fields of all requests, and names that every JavaScript object has. */
const names = [
  'prompt image_url resolution aspect_ratio duration seed model negative_prompt image_fit callback_url callback_events',
  'metadata seconds size input_reference name scopes expires_at url events description overlap_seconds enabled',
  '__proto__ constructor toString',
].flatMap((line) => line.split(' '));
const queryNames = [
  'limit after order status type model resolution aspect_ratio key_id created_after created_before q wait variant',
  'bucket group_by start end endpoint_id event_type metadata metadata[a] x',
].flatMap((line) => line.split(' '));
const goodQueries: readonly [string, string][] = [
  ['limit', '1'],
  ['limit', '100'],
  ['order', 'asc'],
  ['status', 'queued'],
  ['status', 'completed,failed'],
  ['q', 'lighthouse'],
  ['created_after', '1'],
  ['wait', '0'],
];

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '\0',
    '\ud800',
    '\u202e',
    "' or 1=1 --",
    '{{7*7}}',
    '../../etc/passwd',
    '%00',
    'a'.repeat(5000),
    '🎬',
  ),
);
const value = fc.oneof(
  text,
  fc.double(),
  fc.integer(),
  fc.constantFrom<unknown>(null, true, -1, 0, 1, 5, 10, 11, 1e308, -0, 2 ** 53, '5', [], {}, [[]], 'file_x', 'data:,'),
  fc.jsonValue({ maxDepth: 3 }),
);
const idText = fc.oneof(
  text,
  fc.constantFrom('task_', 'task_01k9zqv3x4e8rb6t7y2m5n0p1q', 'TASK_1', 'null', '..', '%2e%2e', 'callback-secret', '0'),
);
const headerPair = fc.constantFrom<[string, string]>(
  ['prefer', 'handling=strict'],
  ['prefer', 'wait=60'],
  ['prefer', 'wait=-1'],
  ['idempotency-key', 'k'],
  ['idempotency-key', 'a b'],
  ['if-none-match', '*'],
  ['range', 'bytes=0-1'],
  ['range', 'bytes=9-1'],
  ['last-event-id', 'evt_1'],
  ['content-type', 'text/plain'],
  ['content-type', 'multipart/form-data'],
  ['content-encoding', 'gzip'],
  ['accept', 'nothing/at-all'],
  ['x-request-id', 'mine'],
);

/** Returns plans for `count` requests; the same seed gives the same plans. */
export function planRequests(operations: readonly Operation[], count: number, seed: number): Plan[] {
  const plan = fc.record<Plan>({
    operation: fc.nat({ max: operations.length - 1 }),
    goodness: fc.nat({ max: 9 }),
    entry: fc.nat({ max: 1000 }),
    query: fc.array(fc.tuple(fc.constantFrom(...queryNames), fc.oneof(text, fc.nat().map(String))), { maxLength: 3 }),
    field: fc.oneof(fc.constantFrom(...names), text),
    value,
    body: fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6 })),
    id: idText,
    header: headerPair,
  });
  return fc.sample(plan, { numRuns: count, seed });
}

/** Makes a request from a plan: valid, with one part wrong, or entirely random. */
export function requestOf(plan: Plan, operations: readonly Operation[], pool: readonly ObjectIds[]): GeneratedRequest {
  const operation = operations[plan.operation];
  if (!operation) throw new RangeError('the plan is for other operations');
  const request = operationRequests[operation.name] ?? {};
  // The first entry's task has completed. Only operations that need a completed task use it, and none deletes it.
  const ids = request.needs === 'completed task' ? pool[0] : pool[1 + (plan.entry % (pool.length - 1))];
  if (!ids) throw new RangeError('the pool has no entry');
  const isGood = plan.goodness < 6;
  const isWild = plan.goodness === 9;
  const path = pathFor(operation.path, isWild ? everyIdIs(plan.id) : ids);
  const fitting = goodQueries.filter(([name]) => operation.queryParameters.includes(name));
  const goodQuery = fitting[plan.entry % fitting.length];
  const query = isGood ? (goodQuery ? [goodQuery] : []) : plan.query;
  const search = new URLSearchParams(
    query.map(([name, words]): [string, string] => [name, words.toWellFormed()]),
  ).toString();
  const headers: Record<string, string> = plan.goodness > 6 ? { [plan.header[0]]: plan.header[1] } : {};
  const withoutBody = { operation, path: search === '' ? path : `${path}?${search}`, headers };
  if (request.file) {
    headers['content-type'] = headers['content-type'] ?? 'multipart/form-data; boundary=b';
    return { ...withoutBody, body: formOf(isGood ? request.file : Buffer.from(String(plan.value)), plan) };
  }
  if (operation.method === 'GET' || operation.method === 'DELETE') return { ...withoutBody, body: undefined };
  headers['content-type'] = headers['content-type'] ?? 'application/json';
  const fields = Object(request.body ?? {}) as Record<string, unknown>;
  const body = isWild ? plan.body : isGood ? fields : { ...fields, [plan.field]: plan.value };
  return { ...withoutBody, body: JSON.stringify(body) };
}

function everyIdIs(id: string): ObjectIds {
  const encoded = encodeURIComponent(id.toWellFormed()) || '-';
  return { task_id: encoded, file_id: encoded, endpoint_id: encoded, delivery_id: encoded, key_id: encoded };
}

function formOf(file: Buffer, { goodness, value: extra }: Plan): Buffer {
  const name = goodness === 8 ? 'other' : 'file';
  const head = `--b\r\ncontent-disposition: form-data; name="${name}"; filename="a.png"\r\n\r\n`;
  const more = `\r\n--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\n${String(extra).slice(0, 50)}`;
  return Buffer.concat([Buffer.from(head), file, Buffer.from(`${more}\r\n--b--\r\n`)]);
}
