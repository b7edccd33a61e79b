import { expect, test } from 'vitest';
import { type Cost, judgeCost } from './judge-cost.ts';
import type { WalUse } from './read-wal.ts';

function measured(): Cost {
  return {
    events: [11, 11, 11],
    eventsWithTakeover: 23,
    running: null,
    withWebhook: {
      events: [11, 11, 11],
      webhooks: 2,
      deliveryWorkflows: [],
      wal: {
        commits: [
          { tables: ['tasks'], count: 12 },
          { tables: ['webhook_deliveries', 'webhook_tries'], count: 6 },
          { tables: ['outbox'], count: 3 },
        ],
        ourBytes: 45_000,
        ourPageImageBytes: 0,
        temporalBytes: 300_000,
        temporalPageImageBytes: 0,
        temporalCommits: 0,
      },
    },
    wal: {
      commits: [
        { tables: ['outbox', 'project_slots', 'tasks'], count: 3 },
        { tables: ['attempts', 'events', 'leases', 'tasks'], count: 3 },
        { tables: ['attempts', 'leases', 'tasks'], count: 3 },
        { tables: ['attempts', 'events', 'project_slots', 'tasks', 'usage'], count: 3 },
        { tables: ['outbox'], count: 3 },
        { tables: [], count: 30 },
        { tables: ['pg_class', 'pg_statistic'], count: 90 },
      ],
      ourBytes: 30_000,
      ourPageImageBytes: 3_000,
      temporalBytes: 300_000,
      temporalPageImageBytes: 0,
      temporalCommits: 0,
    },
  };
}

test('four commits and 11 events per task keep the promise, and one commit per webhook; outbox, live and catalogue writes do not count', () => {
  const { figures, failures } = judgeCost(measured(), 'gate');
  expect(failures).toEqual([]);
  expect(figures).toMatchObject({
    commitsPerTask: 4,
    commitsPerTaskWithWebhooks: 6,
    outboxDeletesPerTask: 1,
    liveWritesPerTask: 10,
    walBytesPerTask: 10_000,
  });
});

const doctored: [name: string, doctor: (cost: Cost) => void, objection: RegExp][] = [
  ['two more commits per task', ({ wal }) => void wal.commits.push({ tables: ['tasks'], count: 6 }), /took 6 commits/],
  ['commits that were not found', ({ wal }) => void wal.commits.splice(0, 2), /so the count is wrong/],
  [
    'one more event per task',
    ({ events }) => void events.splice(0, 3, 12, 12, 12),
    /12 history events; 11 are promised/,
  ],
  ['one task with far more events', ({ events }) => void events.push(26), /had 26 history events/],
  ['a takeover that did not happen', (cost) => void (cost.eventsWithTakeover = 11), /so no takeover happened/],
  [
    'two more commits per webhook',
    ({ withWebhook }) => void withWebhook.wal.commits.push({ tables: ['webhook_tries'], count: 6 }),
    /with webhooks took 8 commits; 7 are allowed/,
  ],
  [
    'webhooks that were not sent',
    ({ withWebhook }) => void withWebhook.wal.commits.splice(1, 1),
    /only 4 commits per task with webhooks/,
  ],
  [
    'a workflow beside a first try',
    ({ withWebhook }) => void (withWebhook.deliveryWorkflows = [40]),
    /1 deliveries had a workflow before the relay/,
  ],
  [
    'workflows instead of first tries',
    ({ withWebhook }) => void (withWebhook.deliveryWorkflows = [2_010, 2_040, 2_100, 2_200]),
    /the relay started the workflows of 4 deliveries; 3 are allowed/,
  ],
  ['a takeover with too many events', (cost) => void (cost.eventsWithTakeover = 26), /had 26 history events/],
];

test.each(doctored)('the judge of cost objects to %s', (_name, doctor, objection) => {
  const cost = measured();
  doctor(cost);
  expect(judgeCost(cost, 'gate').failures.join('\n')).toMatch(objection);
});

test('deliveries that the relay started after a stall keep the promise in the gate, and at night only a few do', () => {
  const cost = measured();
  cost.withWebhook.deliveryWorkflows = [2_010, 9_000];
  expect(judgeCost(cost, 'gate').failures).toEqual([]);
  expect(judgeCost(cost, 'night').failures).toEqual(['the relay started the workflows of 2 deliveries; 1 are allowed']);
});

test('a running job that writes as much as a heartbeat every three seconds is objected to', () => {
  const use = (perSecond: number): WalUse => ({
    ...measured().wal,
    temporalBytes: 1_000 * perSecond,
    temporalPageImageBytes: 0,
    temporalCommits: perSecond,
  });
  const running = { endpoints: 20, jobs: 40, seconds: 100, idle: use(0), busy: use(100) };
  expect(judgeCost({ ...measured(), running }, 'night')).toMatchObject({
    figures: { temporalWalBytesPerJobSecond: 25, temporalCommitsPerJobSecond: 0.025 },
    failures: [],
  });
  expect(judgeCost({ ...measured(), running: { ...running, busy: use(800) } }, 'night').failures).toEqual([
    'a running job costs Temporal 200 bytes of WAL per second',
    'a running job costs Temporal 0.2 commits per second',
  ]);
});
