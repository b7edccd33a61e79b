import { userInfo } from 'node:os';
import type { ErrorBody } from '@kinora/stack/harness/api-client';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { describe, expect, test } from 'vitest';
import { command, commandOutcome } from './operator-command.ts';
import { ownProject } from './own-project.ts';

const request = { prompt: 'Zanzibar-quokka-4712: a ferry', metadata: { customer: 'c-17' }, ...smallestVideo };
/** Its tasks never start. */
const waiting = ['--running', '0'];

interface AuditEvent {
  action: string;
  objectId: string | null;
  operator: string | null;
  command: string | null;
  address: string | null;
  detail: Record<string, unknown>;
}

async function auditOf(projectId: string): Promise<AuditEvent[]> {
  const lines = (await command('audit', 'list', '--project', projectId, '--json')).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as AuditEvent);
}

describe('take-down', () => {
  test('an operator deletes tasks; an unknown id is reported and does not keep the others from being deleted', async () => {
    const { client, projectId } = await ownProject('reported', waiting);
    const [first, second] = [await client.create(request), await client.create(request)];
    const unknown = `${first.task_id.slice(0, -4)}0000`;
    const outcome = await commandOutcome(['tasks', 'delete', first.task_id, unknown, second.task_id]);
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining(unknown) });
    for (const { task_id: id } of [first, second]) {
      expect(outcome.stdout).toContain(`${id} is deleted.`);
      const { status, body } = await client.get<ErrorBody>(`/v1/videos/${id}`);
      expect([status, body.error.code]).toEqual([410, 'task_deleted']);
    }
    const by = { operator: userInfo().username, command: 'tasks delete', address: null };
    expect((await auditOf(projectId)).filter(({ action }) => action === 'task.deleted')).toMatchObject([
      { ...by, objectId: first.task_id },
      { ...by, objectId: second.task_id },
    ]);
  });

  test('a suspended project deletes its own tasks, and the audit log shows from where', async () => {
    const { client, projectId, set } = await ownProject('erases itself', waiting);
    const { task_id: id } = await client.create(request);
    await set('--suspend');
    expect((await client.get<ErrorBody>(`/v1/videos/${id}`)).body.error.code).toBe('project_suspended');
    expect((await client.delete(`/v1/videos/${id}`)).status).toBe(200);
    const events = await auditOf(projectId);
    expect(events.at(-1)).toMatchObject({ action: 'task.deleted', objectId: id, operator: null, address: '127.0.0.1' });
    await set('--resume');
    const { body } = await client.get<{ data: { action: string; actor: { type: string } }[] }>('/v1/audit-events');
    expect(body.data.map(({ action, actor }) => `${action} by ${actor.type}`)).toEqual([
      'project.resumed by operator',
      'task.deleted by api_key',
      'project.suspended by operator',
      expect.any(String),
      expect.any(String),
      'project.created by operator',
    ]);
  });

  test('a purge needs --yes, and then leaves no content, key or webhook of the project', async () => {
    const { client, projectId } = await ownProject('purged', waiting);
    const { task_id: id } = await client.create(request);
    await client.post('/v1/webhook-endpoints', { url: 'https://example.com/hook' });
    const refused = await commandOutcome(['projects', 'purge', projectId]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--yes') });
    expect((await client.read(id)).prompt).toBe(request.prompt);
    const purged = JSON.parse(await command('projects', 'purge', projectId, '--yes')) as object;
    expect(purged).toEqual({ keys: 1, members: 0, webhookEndpoints: 1, tasks: 1, files: 0 });
    expect((await client.get<ErrorBody>(`/v1/videos/${id}`)).body.error.code).toBe('revoked_api_key');
    expect(await commandOutcome(['tasks', 'reveal', id, '--reason', 'check'])).toMatchObject({ code: 1 });
  });
});

test('tasks reveal shows what a caller wrote only for a reason, which the audit log keeps', async () => {
  const { client, projectId } = await ownProject('revealed', waiting);
  const { task_id: id } = await client.create(request);
  const refused = await commandOutcome(['tasks', 'reveal', id]);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--reason') });
  expect(`${refused.stdout}${refused.stderr}`).not.toContain('quokka');
  const shown = JSON.parse(await command('tasks', 'reveal', id, '--reason', 'report 4711')) as object;
  expect(shown).toMatchObject({ taskId: id, prompt: request.prompt, metadata: request.metadata, video: null });
  expect((await auditOf(projectId)).at(-1)).toMatchObject({
    action: 'task.revealed',
    objectId: id,
    command: 'tasks reveal',
    detail: { reason: 'report 4711' },
  });
});
