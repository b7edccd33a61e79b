import { type Kysely, type Selectable, sql } from 'kysely';
import type { ListPage } from '../../domain/list-page.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import type { DeadReason, DeliveryStatus, WebhookDelivery, WebhookEventType } from '../../domain/webhook.ts';
import { anyOf, deliveryId, endpointId, eventId, projectId, taskId, toUuid } from '../connection/ids.ts';
import type { Schema, WebhookDeliveryRow } from '../connection/schema.ts';

/** 10 min after its try was due, a delivery counts as overdue. */
const overdueAfterMilliseconds = 10 * 60 * 1000;

/** A literal: Postgres uses an index of the pending deliveries only if the statement itself says `pending`. */
const isPending = sql.lit<DeliveryStatus>('pending');

export interface DeliveryFilter {
  endpointId?: string | undefined;
  status?: DeliveryStatus | undefined;
  eventType?: string | undefined;
  taskId?: string | undefined;
}

interface DeliveryPage extends ListPage {
  owner: ProjectMode;
  filter: DeliveryFilter;
}

/** The state of a delivery after a try. */
export type DeliveryOutcome =
  | { status: 'pending'; nextTryAt: Date }
  | { status: 'delivered' }
  | { status: 'dead'; reason: DeadReason };

/** Deliveries of events: one row per event and receiver. */
export function webhookDeliveryTable(db: Kysely<Schema>) {
  return {
    async insert(deliveries: readonly WebhookDelivery[]): Promise<void> {
      if (deliveries.length === 0) return;
      await db.insertInto('webhook_deliveries').values(deliveries.map(toRow)).execute();
    },

    async find(id: string): Promise<WebhookDelivery | null> {
      const row = await db
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('id', '=', toUuid('del', id))
        .executeTakeFirst();
      return row ? toDelivery(row) : null;
    },

    async page({ owner, filter, after, limit, order }: DeliveryPage): Promise<WebhookDelivery[]> {
      let query = db
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('project_id', '=', toUuid('proj', owner.projectId))
        .where('livemode', '=', owner.livemode);
      if (filter.endpointId) query = query.where('endpoint_id', '=', toUuid('whk', filter.endpointId));
      if (filter.taskId) query = query.where('task_id', '=', toUuid('task', filter.taskId));
      if (filter.status) query = query.where('status', '=', filter.status);
      if (filter.eventType) query = query.where('event_type', '=', filter.eventType);
      if (after !== null) query = query.where('id', order === 'asc' ? '>' : '<', toUuid('del', after));
      return (await query.orderBy('id', order).limit(limit).execute()).map(toDelivery);
    },

    /** Returns whether a project has at least this many pending deliveries. It reads no more than that. */
    async hasPending(owner: ProjectMode, count: number): Promise<boolean> {
      const row = await db
        .selectFrom('webhook_deliveries')
        .select('status')
        .where('project_id', '=', toUuid('proj', owner.projectId))
        .where('livemode', '=', owner.livemode)
        .where('status', '=', isPending)
        .offset(count - 1)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Records how a try ended. Returns false if that try was recorded already, or if the delivery had ended. */
    async noteTry(id: string, tries: number, outcome: DeliveryOutcome, at: Date): Promise<boolean> {
      const row = await db
        .updateTable('webhook_deliveries')
        .set({ tries, ...outcomeColumns(outcome, at) })
        .where('id', '=', toUuid('del', id))
        .where('status', '=', 'pending')
        .where('tries', '=', tries - 1)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Ends a delivery without a try; a delivery that has ended stays as it is. */
    async end(id: string, reason: DeadReason, at: Date): Promise<void> {
      await db
        .updateTable('webhook_deliveries')
        .set(outcomeColumns({ status: 'dead', reason }, at))
        .where('id', '=', toUuid('del', id))
        .where('status', '=', 'pending')
        .execute();
    },

    /** Ends all pending deliveries to an endpoint of the project. The index of pending ones spares it those of 30 days. */
    async endAllTo(owner: ProjectMode, endpoint: string, reason: DeadReason, at: Date): Promise<void> {
      await db
        .updateTable('webhook_deliveries')
        .set(outcomeColumns({ status: 'dead', reason }, at))
        .where('project_id', '=', toUuid('proj', owner.projectId))
        .where('livemode', '=', owner.livemode)
        .where('status', '=', isPending)
        .where('endpoint_id', '=', toUuid('whk', endpoint))
        .execute();
    },

    /** Returns overdue deliveries that are pending and have no outbox message, the longest overdue first. */
    async overdue(at: Date, limit: number) {
      const rows = await db
        .selectFrom('webhook_deliveries')
        .select(['id', 'project_id'])
        .where('status', '=', isPending)
        .where('overdue_at', '<', at)
        .where((row) =>
          row.not(
            row.exists(
              row.selectFrom('outbox').select('outbox.id').whereRef('outbox.delivery_id', '=', 'webhook_deliveries.id'),
            ),
          ),
        )
        .orderBy('overdue_at')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        deliveryId: deliveryId(row.id),
        projectId: projectId(row.project_id),
      }));
    },

    /** Records that the deliveries were checked, so that they are not overdue for the next 10 min. */
    async markChecked(ids: readonly string[], at: Date): Promise<void> {
      if (ids.length === 0) return;
      await db
        .updateTable('webhook_deliveries')
        .set({ overdue_at: overdueAfter(at) })
        .where('id', '=', anyOf(ids.map((id) => toUuid('del', id))))
        .execute();
    },
  };
}

function outcomeColumns(outcome: DeliveryOutcome, at: Date) {
  if (outcome.status === 'pending') {
    return { next_try_at: outcome.nextTryAt, overdue_at: overdueAfter(outcome.nextTryAt) };
  }
  const { status } = outcome;
  const dead_reason = outcome.status === 'dead' ? outcome.reason : null;
  return { status, dead_reason, next_try_at: null, completed_at: at };
}

function overdueAfter(moment: Date): Date {
  return new Date(moment.getTime() + overdueAfterMilliseconds);
}

function toRow(delivery: WebhookDelivery) {
  return {
    id: toUuid('del', delivery.id),
    project_id: toUuid('proj', delivery.projectId),
    livemode: delivery.livemode,
    event_id: toUuid('evt', delivery.eventId),
    event_type: delivery.eventType,
    event_created_at: delivery.eventCreatedAt,
    task_id: delivery.taskId === null ? null : toUuid('task', delivery.taskId),
    attempt: delivery.attempt,
    endpoint_id: delivery.endpointId === null ? null : toUuid('whk', delivery.endpointId),
    status: delivery.status,
    dead_reason: delivery.deadReason,
    tries: delivery.tries,
    next_try_at: delivery.nextTryAt,
    overdue_at: overdueAfter(delivery.createdAt),
    created_at: delivery.createdAt,
    completed_at: delivery.completedAt,
  };
}

function toDelivery(row: Selectable<WebhookDeliveryRow>): WebhookDelivery {
  return {
    id: deliveryId(row.id),
    projectId: projectId(row.project_id),
    livemode: row.livemode,
    eventId: eventId(row.event_id),
    // The service writes only values of these types into the columns.
    eventType: row.event_type as WebhookEventType,
    eventCreatedAt: row.event_created_at,
    taskId: row.task_id === null ? null : taskId(row.task_id),
    attempt: row.attempt,
    endpointId: row.endpoint_id === null ? null : endpointId(row.endpoint_id),
    status: row.status,
    deadReason: row.dead_reason as DeadReason | null,
    tries: row.tries,
    nextTryAt: row.next_try_at,
    createdAt: row.created_at,
    completedAt: row.completed_at,
  };
}
