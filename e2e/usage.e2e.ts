import type { ErrorBody, Task } from '@kinora/stack/harness/api-client';
import { neverRunning } from '@kinora/stack/harness/project-limits';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { runToEnd } from '@kinora/stack/harness/task-waits';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { Estimate, Usage, UsageBucket } from '../sdk/src/generated/types.ts';
import { describedResponses } from './described-responses.ts';
import { command } from './operator-command.ts';
import { clientFor, createKey, type OwnProject, ownProject } from './own-project.ts';

const client = clientFor(inject('world').testKey);
const small = { prompt: 'a kite over the dunes', ...smallestVideo };
const described = await describedResponses();

describe('an estimate', () => {
  it('an estimate returns the request as a create would resolve it, and creates no task', async () => {
    const { client } = await ownProject('estimates', neverRunning);
    const fields = { ...small, seed: 11, negative_prompt: 'rain' };
    const estimate = await client.post<Estimate>('/v1/videos/estimate', fields);
    expect(estimate.status).toBe(200);
    described.check('Estimate')(estimate.body);
    expect(await client.list()).toEqual([]);

    const task = await client.create(fields);
    const { request, warnings } = estimate.body;
    expect(request).toMatchObject({ model: task.model, size: task.size, seconds: task.seconds, seed: task.seed });
    expect(warnings).toEqual(task.warnings);
  });

  it('an estimate does not fetch the image, so the fields that depend on it are null', async () => {
    // No server listens there, so a create would fail.
    const fields = { prompt: 'a kite', image_url: 'https://127.0.0.1/kite.png' };
    const { status, body } = await client.post<Estimate>('/v1/videos/estimate', fields);
    expect(status).toBe(200);
    described.check('Estimate')(body);
    expect(body).toMatchObject({ type: 'image_to_video', request: { aspect_ratio: null, size: null, seed: null } });
  });
});

describe('usage', () => {
  let project: OwnProject;
  let created: { completed: Task; keyId: string };
  beforeAll(async () => {
    project = await ownProject('usage', ['--running', '1'], 'live');
    const { id: keyId, key } = await createKey(project.projectId, '--mode', 'live', '--name', 'second');
    const completed = await runToEnd(project.client, small);
    await project.set('--running', '0');
    const waiting = await clientFor(key).create(small);
    await project.client.cancel(waiting.task_id);
    created = { completed, keyId };
  });

  it('usage counts ended tasks by day and by hour, with their seconds and percentiles', async () => {
    for (const bucket of ['day', 'hour']) {
      const { status, body } = await project.client.get<Usage>(`/v1/usage?bucket=${bucket}`);
      expect(status).toBe(200);
      described.check('Usage')(body);
      const seconds = bucket === 'day' ? 86_400 : 3600;
      expect(body.data).toHaveLength(bucket === 'day' ? 31 : 49);
      expect(body.data.every(({ start, end }) => end - start === seconds && start % seconds === 0)).toBe(true);
      const results = body.data.flatMap((one) => one.results);
      const sum = (read: (result: UsageBucket['results'][number]) => number) =>
        results.reduce((total, result) => total + read(result), 0);
      expect(sum(({ tasks }) => tasks)).toBe(2);
      expect(sum(({ completed }) => completed)).toBe(1);
      expect(sum(({ cancelled }) => cancelled)).toBe(1);
      expect(sum(({ video_seconds }) => video_seconds)).toBe(1);
      expect(sum(({ billable_video_seconds }) => billable_video_seconds)).toBe(1);
      expect(sum(({ engine_seconds }) => engine_seconds)).toBeGreaterThan(0);
      const measured = results.filter(({ rendering_seconds }) => rendering_seconds !== null);
      expect(measured).toHaveLength(1);
      const took = (created.completed.completed_at ?? 0) - created.completed.created_at;
      expect(measured[0]?.rendering_seconds?.p50).toBeLessThanOrEqual(took + 1);
      expect(measured[0]?.waiting_seconds?.p99).toBeLessThanOrEqual(took + 1);
    }
  });

  it('usage can be grouped by model, key and code', async () => {
    const read = async (groupBy: string) => {
      const { body } = await project.client.get<Usage>(`/v1/usage?group_by=${groupBy}`);
      return body.data.flatMap(({ results }) => results);
    };
    expect((await read('model')).map(({ model }) => model)).toEqual(expect.arrayContaining(['animatic']));
    const byKey = await read('key');
    expect(byKey.filter(({ key_id }) => key_id === created.keyId)).toMatchObject([{ tasks: 1, cancelled: 1 }]);
    expect(byKey.filter(({ key_id }) => key_id !== created.keyId)).toMatchObject([{ tasks: 1, completed: 1 }]);
    expect((await read('code')).every(({ code }) => code === null)).toBe(true);
  });

  it('usage is separate per project and mode, and needs the scope usage:read', async () => {
    const other = await createKey(project.projectId, '--mode', 'test');
    const { body } = await clientFor(other.key).get<Usage>('/v1/usage');
    expect(body.data.flatMap(({ results }) => results).every(({ tasks }) => tasks === 0)).toBe(true);
    const { key } = await createKey(project.projectId, '--scopes', 'videos:read');
    const refused = await clientFor(key).get<ErrorBody>('/v1/usage');
    expect(refused.status).toBe(403);
    expect(refused.body.error.code).toBe('insufficient_scope');
  });

  it('usage refuses ranges that are empty, too long or malformed, and lists all problems', async () => {
    const now = Math.floor(Date.now() / 1000);
    for (const [query, params] of [
      [`start=${now}&end=${now - 1}`, ['start']],
      [`bucket=hour&start=${now - 401 * 3600}`, ['start']],
      [`start=${now - 402 * 86_400}`, ['start']],
      ['bucket=week&group_by=colour&start=yesterday', ['bucket', 'group_by', 'start']],
    ] as const) {
      const { status, body } = await project.client.get<ErrorBody>(`/v1/usage?${query}`);
      expect(status).toBe(400);
      described.expectError(body);
      expect(body.error.code).toBe('invalid_parameter');
      expect(body.error.details.map(({ param }) => param).toSorted()).toEqual(params);
    }
  });
});

describe('retention', () => {
  it('retention can be previewed and run by hand, and deletes nothing before it expires', async () => {
    const end = await runToEnd(client, small);
    const preview = await command('retention', '--dry-run');
    expect(preview).toMatch(/0 partitions would be dropped, 0 kept/);
    await command('retention');
    expect(await client.read(end.id)).toMatchObject({ status: 'completed', video: { sha256: end.video?.sha256 } });
    expect((await fetch(end.video_url ?? '')).status).toBe(200);
  });
});
