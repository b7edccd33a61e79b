import { describe, expect, it } from 'vitest';
import { plainProcess } from '../../db/attempts/process.fixture.ts';
import type { AuditPage } from '../../db/records/audit-log-table.ts';
import type { Operator } from '../../domain/actor.ts';
import type { AuditEvent } from '../../domain/audit-event.ts';
import type { EndpointOnBoard } from '../../operations/engines/read-engine-board.ts';
import { clock, parts, signedInAs, startConsoleApp } from '../console-app.fixture.ts';
import type { OperatorParts } from '../operator-parts.ts';

const seconds = clock.moment.getTime() / 1000;
const endpoint: EndpointOnBoard = {
  id: 'gpu-1',
  engine: 'cog',
  version: '0.23.1',
  state: 'accepting',
  since: clock.moment,
  reason: null,
  lastFailure: null,
  lastFailureAt: null,
  trippedUntil: null,
  latencyMilliseconds: 12,
  seenAt: clock.moment,
  slots: [
    {
      index: 0,
      state: 'busy',
      taskId: 'task_1',
      projectId: 'proj_1',
      livemode: true,
      since: clock.moment,
      progress: 40,
    },
  ],
};
const shownEndpoint = {
  id: 'gpu-1',
  engine: 'cog',
  version: '0.23.1',
  state: 'accepting',
  since: seconds,
  reason: null,
  last_failure: null,
  last_failure_at: null,
  tripped_until: null,
  latency_milliseconds: 12,
  seen_at: seconds,
  slots: [
    { index: 0, state: 'busy', task_id: 'task_1', project_id: 'proj_1', livemode: true, since: seconds, progress: 40 },
  ],
};

const withOperators = (operators: Partial<OperatorParts>) =>
  startConsoleApp({ operators: { ...parts.operators, ...operators } });

describe('the routes of operators', () => {
  it('show the board of engines', async () => {
    const pool = { name: 'wan', models: ['wan-2.2'], waiting: 3, oldestWaitingAt: clock.moment, endpoints: [endpoint] };
    const { send } = withOperators({ readEngineBoard: async () => ({ generatedAt: clock.moment, pools: [pool] }) });
    expect((await send({ url: '/console-api/engines' })).json()).toEqual({
      generated_at: seconds,
      pools: [{ name: 'wan', models: ['wan-2.2'], waiting: 3, oldest_waiting_at: seconds, endpoints: [shownEndpoint] }],
    });
  });

  it('drain and resume an endpoint in the name of the person', async () => {
    const calls: [Operator, string, boolean][] = [];
    const { send } = withOperators({
      setDrained: async (...call) => {
        calls.push(call);
        return endpoint;
      },
    });
    for (const action of ['drain', 'resume']) {
      const response = await send({ method: 'POST', url: `/console-api/engines/gpu-1/${action}`, payload: {} });
      expect([response.statusCode, response.json()]).toEqual([200, shownEndpoint]);
    }
    const operator = { operator: 'operator@example.com', command: 'console', person: { id: expect.any(String) } };
    expect(calls).toEqual([
      [expect.objectContaining(operator), 'gpu-1', true],
      [expect.objectContaining(operator), 'gpu-1', false],
    ]);
  });

  it('let nobody drain whose sign-in is more than ten minutes old', async () => {
    const old = new Date(clock.moment.getTime() - 11 * 60_000);
    const { send } = startConsoleApp({ findSession: async () => signedInAs('operator', old) });
    const response = await send({ method: 'POST', url: '/console-api/engines/gpu-1/drain', payload: {} });
    expect([response.statusCode, response.json().error.code]).toEqual([403, 'sign_in_again']);
  });

  it('are refused to everybody else', async () => {
    const { send } = startConsoleApp({ findSession: async () => signedInAs('admin') });
    for (const url of ['engines', 'backlog', 'health', 'audit-events']) {
      const response = await send({ url: `/console-api/${url}` });
      expect([response.statusCode, response.json().error.code]).toEqual([403, 'insufficient_role']);
    }
    for (const url of ['engines/gpu-1/drain', 'engines/gpu-1/resume', 'doctor']) {
      const response = await send({ method: 'POST', url: `/console-api/${url}`, payload: {} });
      expect([response.statusCode, response.json().error.code]).toEqual([403, 'insufficient_role']);
    }
  });

  it('show the backlog, the health of the parts and what the doctor says', async () => {
    const backlog = { projectId: 'proj_1', name: 'acme', livemode: true, running: 2, waiting: 5, weight: 1 };
    const health = { part: 'store', status: 'failed' as const, milliseconds: 5_000, message: 'It does not respond.' };
    const problem = { reason: 'It is silent.', remedy: 'Restart it.' };
    const result = { check: 'settings', verdict: 'ok', message: 'Fine.', remedy: null };
    const { send } = withOperators({
      listBacklog: async () => [{ ...backlog, oldestWaitingAt: null }],
      checkHealth: async () => [health],
      readRoles: async () => ({ processes: [plainProcess({ silentSeconds: 20.4 })], problems: [problem] }),
      runDoctor: async () => ({ results: [result], ranAt: clock.moment, seconds: 1.5 }),
    });
    const { projectId, ...shown } = backlog;
    expect((await send({ url: '/console-api/backlog' })).json()).toEqual({
      data: [{ ...shown, project_id: projectId, oldest_waiting_at: null }],
    });
    expect((await send({ url: '/console-api/health' })).json()).toMatchObject({
      checks: [health],
      roles: {
        processes: [{ roles: ['worker'], silent_seconds: 20, is_silent: true, owned_endpoints: 1 }],
        problems: [{ reason: 'It is silent.', remedy: 'Restart it.' }],
      },
    });
    expect((await send({ method: 'POST', url: '/console-api/doctor', payload: {} })).json()).toEqual({
      checks: [{ name: 'settings', status: 'ok', message: 'Fine.', advice: null }],
      ran_at: seconds,
      seconds: 1.5,
    });
  });

  it('show the audit log of all projects with people, operators and commands', async () => {
    const event: AuditEvent = {
      id: 'aud_1',
      createdAt: clock.moment,
      action: 'engine.drained',
      keyId: null,
      personId: 'person_1',
      operator: 'ada@example.com',
      command: 'console',
      objectId: 'gpu-1',
      projectId: null,
      livemode: null,
      address: '203.0.113.7',
      userAgent: null,
      requestId: 'req_1',
      detail: {},
    };
    const queries: [string | null, AuditPage][] = [];
    const { send } = withOperators({
      listAuditEvents: async (...query) => {
        queries.push(query);
        return { events: [event], hasMore: true };
      },
    });
    const query = 'project_id=proj_1&action=engine.drained&after=aud_0&limit=5';
    const response = await send({ url: `/console-api/audit-events?${query}` });
    expect(queries).toEqual([
      ['proj_1', { after: 'aud_0', limit: 5, order: 'desc', filter: { action: 'engine.drained' } }],
    ]);
    expect(response.json()).toMatchObject({
      has_more: true,
      last_id: 'aud_1',
      data: [
        {
          id: 'aud_1',
          project_id: null,
          actor: {
            type: 'operator',
            key_id: null,
            person_id: 'person_1',
            operator: 'ada@example.com',
            command: 'console',
          },
        },
      ],
    });
    const wrong = await send({ url: '/console-api/audit-events?action=engine.eaten' });
    expect([wrong.statusCode, wrong.json().error.param]).toEqual([400, 'action']);
  });
});
