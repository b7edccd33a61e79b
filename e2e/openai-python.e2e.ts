import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Task } from '@kinora/stack/harness/api-client';
import { expect, inject, test } from 'vitest';
import { save } from './media-folder.ts';
import { ownProject } from './own-project.ts';
import { picture } from './sample-pictures.ts';

// The official client as it comes, pointed at Kinora. One walk in Python; what it saw is judged here.

type Failure = { is: string; status: number; code: string; param: string | null } | null;

interface Seen {
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
const walk = promisify(execFile)(path('../.tools/python/bin/python'), [path('openai_client.py')]);
walk.child.stdin?.end(JSON.stringify({ url, key: testKey, waiting_key: waiting.key, image }));
const seen = JSON.parse((await walk).stdout) as Seen;

test('a video from text: create, poll, download, delete', () => {
  expect(seen.created).toMatchObject({ object: 'video', status: 'queued', seconds: '1', size: '480x480' });
  expect(seen.polled).toMatchObject({ id: seen.created.id, status: 'completed', progress: 100, error: null });
  expect(seen.video_sha256).toBe(seen.polled.video?.sha256);
  expect(seen.thumbnail_bytes).toBeGreaterThan(1000);
  expect(seen.deleted).toEqual({ id: seen.created.id, object: 'video.deleted', deleted: true });
  expect(seen.after_delete).toMatchObject({ status: 410, code: 'task_deleted' });
});

test('a video from an image: as a file in the request, and as an uploaded file', () => {
  const image = { width: 640, height: 480, fit: 'crop' };
  expect(seen.pictured).toMatchObject({ type: 'image_to_video', status: 'completed', image });
  expect(seen.file).toMatchObject({ object: 'file', filename: 'boat.png' });
  expect(seen.by_id).toMatchObject({ seed: 7, metadata: { a: 'b' }, image: seen.pictured.image, warnings: [] });
  expect(seen.file_deleted).toEqual({ id: seen.file.id, object: 'file.deleted', deleted: true });
  expect(seen.by_id_end.status).toBe('completed');
});

test('lists go page by page', () => {
  expect(seen.listed).toEqual(seen.ids.toReversed());
  expect(seen.listed_upwards).toEqual(seen.ids);
});

test('errors are those that the client knows', () => {
  expect(seen.failures).toEqual({
    key: { is: 'AuthenticationError', status: 401, code: 'invalid_api_key', param: null },
    id: { is: 'NotFoundError', status: 404, code: 'task_not_found', param: null },
    remix: { is: 'NotFoundError', status: 404, code: 'not_found', param: null },
    size: { is: 'BadRequestError', status: 400, code: 'invalid_parameter', param: 'size' },
    image: { is: 'BadRequestError', status: 400, code: 'image_unsupported_format', param: 'input_reference' },
    file: { is: 'BadRequestError', status: 400, code: 'image_unsupported_format', param: 'file' },
    limit: { is: 'RateLimitError', status: 429, code: 'too_many_waiting_tasks', param: null },
  });
});
