import { sql } from 'kysely';
import { eventId, taskId, toUuid } from '../server/src/db/connection/ids.ts';
import { engineJobIdOf, lowestUuidAt } from '../server/src/domain/id.ts';
import type { Life } from './lives.ts';
import type { World } from './world.ts';

/** Statements that must return no rows once everything is over, with what each row means. */
const rules: readonly (readonly [string, string])[] = [
  ['is not over', `select id::text as what from tasks where status not in ('completed', 'failed', 'cancelled')`],
  ['is still open', 'select id::text as what from open_tasks'],
  [
    'has not exactly one end',
    `select t.id::text as what from tasks t where (select count(*) from events e
      where e.task_id = t.id and e.type = 'video.' || t.status) <> 1`,
  ],
  [
    'has an event of another end',
    `select t.id::text as what from tasks t join events e on e.task_id = t.id
      where e.type in ('video.completed', 'video.failed', 'video.cancelled') and e.type <> 'video.' || t.status`,
  ],
  [
    'has not exactly one usage row',
    `select coalesce(t.id, u.task_id)::text as what from tasks t full join usage u on u.task_id = t.id
      group by 1 having count(t.id) <> 1 or count(u.task_id) <> 1`,
  ],
  ['still has a lease', 'select task_id::text as what from leases where task_id is not null'],
  ['is in the outbox', 'select id::text as what from outbox'],
  ['has taken slots', `select project_id::text as what from project_slots where running <> 0 or waiting <> 0`],
  ['waits in a pool', 'select project_id::text as what from pool_waiting where waiting <> 0'],
  ['is an attempt without an outcome', 'select task_id::text as what from attempts where outcome is null'],
  [
    'has not all of its tries',
    `select id::text as what from webhook_deliveries d
      where tries <> (select count(*) from webhook_tries t where t.delivery_id = d.id)`,
  ],
  ['is a pending delivery', `select id::text as what from webhook_deliveries where status = 'pending'`],
];

const allRules = rules
  .map(([meaning, statement]) => `select what, '${meaning}' as meaning from (${statement}) rule`)
  .join(' union all ');

/** Returns one objection for each thing that must never be and is, once nothing is open any more. */
export async function judge(world: World): Promise<string[]> {
  const objections: string[] = [];
  const broken = await sql.raw<{ what: string; meaning: string }>(allRules).execute(world.postgres.judge);
  objections.push(...broken.rows.map(({ what, meaning }) => `${what} ${meaning}`));
  for (const [id, { engine }] of world.engines) {
    const twice = engine.submitted.filter((job, index) => engine.submitted.indexOf(job) !== index);
    objections.push(...twice.map((job) => `${job} was submitted twice to ${id}`));
    if (engine.overfull > 0) objections.push(`${id} got ${engine.overfull} jobs more than it has slots`);
    if (engine.busy() > 0) objections.push(`${id} still computes`);
  }
  objections.push(...world.temporal.openWorkflows().map((id) => `the workflow ${id} is still open`));
  return [...objections, ...(await judgeVideos(world)), ...(await judgeDeliveries(world))];
}

function uuidsOf(accepted: World['accepted']): string[] {
  return accepted.map((create) => toUuid('task', create.taskId));
}

/** A video must be in the store, and be what the engine made in the attempt that completed its task. */
async function judgeVideos({ postgres, store, accepted }: World): Promise<string[]> {
  const { rows } = await sql<{ id: string; attempt: number; key: string }>`
    select id, attempt, video->>'objectKey' as key from tasks
    where status = 'completed' and deleted_at is null and not are_files_gone and id = any(${uuidsOf(accepted)})`.execute(
    postgres.judge,
  );
  return rows.flatMap(({ id, attempt, key }) => {
    const made = `video of ${engineJobIdOf(taskId(id), attempt)}`;
    return store.objects.get(key)?.bytes.toString() === made
      ? []
      : [`${id} has not the video of its attempt ${attempt}`];
  });
}

async function judgeDeliveries({ postgres, received, accepted }: World): Promise<string[]> {
  const { rows } = await sql<{ id: string; event_id: string }>`
    select id, event_id from webhook_deliveries
    where status = 'delivered' and task_id = any(${uuidsOf(accepted)})`.execute(postgres.judge);
  const bodies = received.join('\n');
  return rows.flatMap(({ id, event_id }) =>
    bodies.includes(eventId(event_id)) ? [] : [`${id} counts as delivered, and no receiver got it`],
  );
}

/** How many tasks may have left a queue between the refusal and the look at it. */
const leftSince = 3;

/** Returns an objection for each thing that callers were told and that is not so. */
export async function judgeCallers({ accepted, refusals, postgres }: World): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from tasks`.execute(postgres.judge);
  const stored = new Set(rows.map(({ id }) => taskId(id)));
  const byKey = Map.groupBy(
    accepted.filter(({ key }) => key !== null),
    ({ projectId, key }) => `${projectId} ${key}`,
  );
  const twice = [...byKey].filter(([, answers]) => new Set(answers.map(({ taskId }) => taskId)).size > 1);
  const wrongly = refusals.filter(
    ({ code, pool, waiting, waitingLimit }) =>
      code === 'too_many_waiting_tasks' && (waiting[pool ?? ''] ?? 0) < waitingLimit - leftSince,
  );
  return [
    ...accepted.flatMap((create) => (stored.has(create.taskId) ? [] : [`${create.taskId} was accepted, and is gone`])),
    ...twice.map(([key]) => `the key ${key} made several tasks`),
    ...wrongly.map(
      ({ pool, waiting }) => `a create for ${pool} was refused although it had room: ${JSON.stringify(waiting)}`,
    ),
  ];
}

/** The finding that a workflow of each type leads to once a version has outgrown it. */
const findingsOfOutgrown: Readonly<Record<string, string>> = {
  generateVideo: 'outgrown',
  deliverWebhook: 'delivery-restarted',
};

/** What the service mended by itself would otherwise hide a fault; only workflows that were outgrown explain findings. */
export function judgeFindings({ findings, temporal }: Pick<World, 'findings' | 'temporal'>): string[] {
  const unexplained = [...findings];
  for (const type of temporal.outgrown) {
    const at = unexplained.indexOf(findingsOfOutgrown[type] ?? '');
    if (at >= 0) unexplained.splice(at, 1);
  }
  return unexplained.map((kind) => `the reconciler found ${kind}`);
}

/** While no engine forgets a job, an attempt may be lost only if its job never reached the engine. */
export async function judgeLostJobs({ postgres, engines }: World): Promise<string[]> {
  const { rows } = await sql<{ job: string }>`
    select engine_job_id as job from attempts where outcome = 'engine_lost'`.execute(postgres.judge);
  const submitted = new Set([...engines.values()].flatMap(({ engine }) => engine.submitted));
  return rows.flatMap(({ job }) => (submitted.has(job) ? [`${job} was lost although its engine had it`] : []));
}

/**
 * While no engine fails a job for good, every task ends as its life says, unless it used up its three attempts: each death
 * may cost one, between its beginning and its submit.
 */
export async function judgeEnds(
  { postgres }: World,
  { mayEnd }: Pick<Life, 'mayEnd'>,
  { deaths, began }: { deaths: readonly number[]; began: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string; status: string; error: unknown }>`
    select id, status, error from tasks where id >= ${lowestUuidAt(new Date(began))} and status not in ('completed', ${mayEnd ?? 'completed'}) and (
      status <> 'failed' or failed_attempts < 3
      or (select count(*) from attempts where task_id = tasks.id and outcome = 'engine_lost') > ${deaths.length})`.execute(
    postgres.judge,
  );
  return rows.map(({ id, status, error }) => `${taskId(id)} ended ${status}: ${JSON.stringify(error)}`);
}
