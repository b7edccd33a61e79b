import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Task } from '@kinora/stack/harness/api-client';
import { expect, inject, test } from 'vitest';
import { save } from './media-folder.ts';
import { ownProject } from './own-project.ts';
import { picture } from './sample-pictures.ts';

// Uses the unmodified official client with Kinora. One Python script makes all calls, and the tests check its results.

type Failure = { is: string; status: number; code: string; param: string | null } | null;

interface Results {
  created: Task;
  polled: Task;
  video_sha256: string;
  thumbnail_bytes: number;
  deleted: unknown;
  after_delete: Failure;
  pictured: Task;
  file: { id: string };
  by_id: Task;
  file_deleted: unknown;
  by_id_end: Task;
  ids: string[];
  listed: string[];
  listed_upwards: string[];
  failures: Record<string, Failure>;
}

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const { url, testKey } = inject('world');
const waiting = await ownProject('openai-python-list', ['--running', '0', '--waiting', '5']);
const image = await save(await picture({ width: 640, height: 480 }, 'png'), 'png');
const script = promisify(execFile)(path('../.tools/python/bin/python'), [path('openai_client.py')]);
script.child.stdin?.end(JSON.stringify({ url, key: testKey, waiting_key: waiting.key, image }));
const results = JSON.parse((await script).stdout) as Results;

test('the client can create, poll, download and delete a video from text', () => {
  expect(results.created).toMatchObject({ object: 'video', status: 'queued', seconds: '1', size: '480x480' });
  expect(results.polled).toMatchObject({ id: results.created.id, status: 'completed', progress: 100, error: null });
  expect(results.video_sha256).toBe(results.polled.video?.sha256);
  expect(results.thumbnail_bytes).toBeGreaterThan(1000);
  expect(results.deleted).toEqual({ id: results.created.id, object: 'video.deleted', deleted: true });
  expect(results.after_delete).toMatchObject({ status: 410, code: 'task_deleted' });
});

test('the client can make a video from an image in the request or from an uploaded file', () => {
  const image = { width: 640, height: 480, fit: 'crop' };
  expect(results.pictured).toMatchObject({ type: 'image_to_video', status: 'completed', image });
  expect(results.file).toMatchObject({ object: 'file', filename: 'boat.png' });
  expect(results.by_id).toMatchObject({ seed: 7, metadata: { a: 'b' }, image: results.pictured.image, warnings: [] });
  expect(results.file_deleted).toEqual({ id: results.file.id, object: 'file.deleted', deleted: true });
  expect(results.by_id_end.status).toBe('completed');
});

test('the client can list videos page by page', () => {
  expect(results.listed).toEqual(results.ids.toReversed());
  expect(results.listed_upwards).toEqual(results.ids);
});

test('the client throws its own error classes', () => {
  expect(results.failures).toEqual({
    key: { is: 'AuthenticationError', status: 401, code: 'invalid_api_key', param: null },
    id: { is: 'NotFoundError', status: 404, code: 'task_not_found', param: null },
    remix: { is: 'NotFoundError', status: 404, code: 'not_found', param: null },
    size: { is: 'BadRequestError', status: 400, code: 'invalid_parameter', param: 'size' },
    image: { is: 'BadRequestError', status: 400, code: 'image_unsupported_format', param: 'input_reference' },
    file: { is: 'BadRequestError', status: 400, code: 'image_unsupported_format', param: 'file' },
    limit: { is: 'RateLimitError', status: 429, code: 'too_many_waiting_tasks', param: null },
  });
});
