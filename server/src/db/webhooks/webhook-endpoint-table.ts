import { type Kysely, type Selectable, sql } from 'kysely';
import type { EventType } from '../../domain/event.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import type { DisabledReason, WebhookEndpoint } from '../../domain/webhook.ts';
import { endpointId, projectId, toUuid } from '../connection/ids.ts';
import type { Schema, WebhookEndpointRow } from '../connection/schema.ts';
import {
  hasSecrets,
  isSealedOtherwise,
  type SealedOtherwise,
  type SealedSecrets,
  toSecretColumns,
} from '../connection/sealed-secrets.ts';

export type SealedEndpoint = WebhookEndpoint & { sealed: SealedSecrets };

interface EndpointChanges {
  url?: string | undefined;
  description?: string | undefined;
  events?: readonly EventType[] | undefined;
  disabled?: { at: Date; reason: DisabledReason } | null | undefined;
}

/** The endpoints to which projects want their events sent. */
export function webhookEndpointTable(db: Kysely<Schema>) {
  return {
    /** Inserts an endpoint, in a transaction that keeps the lock; false if the project has the maximum in this mode. */
    async insert(endpoint: WebhookEndpoint, sealed: SealedSecrets, maximum: number): Promise<boolean> {
      const project = toUuid('proj', endpoint.projectId);
      // Without the lock, two concurrent inserts could both find the last place free.
      await sql`select pg_advisory_xact_lock(hashtext('kinora-webhook-endpoints'), hashtext(${project}))`.execute(db);
      const { count } = await db
        .selectFrom('webhook_endpoints')
        .select((row) => row.fn.countAll<string>().as('count'))
        .where('project_id', '=', project)
        .where('livemode', '=', endpoint.livemode)
        .executeTakeFirstOrThrow();
      if (Number(count) >= maximum) return false;
      await db
        .insertInto('webhook_endpoints')
        .values({
          id: toUuid('whk', endpoint.id),
          project_id: project,
          livemode: endpoint.livemode,
          url: endpoint.url,
          description: endpoint.description,
          events: [...endpoint.events],
          ...toSecretColumns(sealed),
          created_at: endpoint.createdAt,
        })
        .execute();
      return true;
    },

    async page(
      owner: ProjectMode,
      { after, limit, order }: { after: string | null; limit: number; order: 'asc' | 'desc' },
    ): Promise<WebhookEndpoint[]> {
      let query = ownedBy(owner).selectAll();
      if (after !== null) query = query.where('id', order === 'asc' ? '>' : '<', toUuid('whk', after));
      return (await query.orderBy('id', order).limit(limit).execute()).map(toEndpoint);
    },

    async find(owner: ProjectMode, id: string): Promise<WebhookEndpoint | null> {
      const row = await ownedBy(owner).selectAll().where('id', '=', toUuid('whk', id)).executeTakeFirst();
      return row ? toEndpoint(row) : null;
    },

    /** Returns an endpoint with its secrets and locks it until the transaction ends. */
    async lock(owner: ProjectMode, id: string): Promise<SealedEndpoint | null> {
      const row = await ownedBy(owner).selectAll().where('id', '=', toUuid('whk', id)).forUpdate().executeTakeFirst();
      return row ? { ...toEndpoint(row), sealed: toSecrets(row) } : null;
    },

    /** Returns an endpoint with its secrets, of any owner. The id must come from a delivery, never from a caller. */
    async findSealed(id: string): Promise<SealedEndpoint | null> {
      const row = await db
        .selectFrom('webhook_endpoints')
        .selectAll()
        .where('id', '=', toUuid('whk', id))
        .executeTakeFirst();
      return row ? { ...toEndpoint(row), sealed: toSecrets(row) } : null;
    },

    /** The ids of enabled endpoints that want this type. Runs for every event, so it is one query. */
    async idsWanting(owner: ProjectMode, type: EventType): Promise<string[]> {
      const rows = await ownedBy(owner)
        .select('id')
        .where('disabled_at', 'is', null)
        .where(sql<boolean>`(events = '{}' or ${type} = any(events))`)
        .execute();
      return rows.map((row) => endpointId(row.id));
    },

    /** Changes an endpoint. A new URL or re-enabling resets `failing_since`: earlier failures say nothing about it. */
    async update(id: string, changes: EndpointChanges): Promise<WebhookEndpoint> {
      const { url, description, events, disabled } = changes;
      const row = await db
        .updateTable('webhook_endpoints')
        .set({
          ...(url === undefined ? {} : { url }),
          ...(description === undefined ? {} : { description }),
          ...(events === undefined ? {} : { events: [...events] }),
          ...(disabled === undefined
            ? {}
            : { disabled_at: disabled?.at ?? null, disabled_reason: disabled?.reason ?? null }),
          ...(url === undefined && disabled !== null ? {} : { failing_since: null }),
        })
        .where('id', '=', toUuid('whk', id))
        .returningAll()
        .executeTakeFirstOrThrow();
      return toEndpoint(row);
    },

    async replaceSecrets(id: string, sealed: SealedSecrets): Promise<void> {
      await db
        .updateTable('webhook_endpoints')
        .set(toSecretColumns(sealed))
        .where('id', '=', toUuid('whk', id))
        .execute();
    },

    /** Returns a page of the endpoints, of all owners, whose secrets begin with another header, in the order of ids. */
    async sealedOtherwise(page: SealedOtherwise<{ id: string }>): Promise<{ id: string; sealed: SealedSecrets }[]> {
      let query = db.selectFrom('webhook_endpoints').selectAll().where(isSealedOtherwise(page));
      if (page.after) query = query.where('id', '>', toUuid('whk', page.after.id));
      const rows = await query.orderBy('id').limit(page.limit).execute();
      return rows.map((row) => ({ id: endpointId(row.id), sealed: toSecrets(row) }));
    },

    /** Replaces secrets by the same ones under another key. Returns false if they have changed since they were read. */
    async reseal(id: string, from: SealedSecrets, to: SealedSecrets): Promise<boolean> {
      const row = await db
        .updateTable('webhook_endpoints')
        .set(toSecretColumns(to))
        .where('id', '=', toUuid('whk', id))
        .where(hasSecrets(from))
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    async delete(owner: ProjectMode, id: string): Promise<boolean> {
      const row = await db
        .deleteFrom('webhook_endpoints')
        .where('id', '=', toUuid('whk', id))
        .where('project_id', '=', toUuid('proj', owner.projectId))
        .where('livemode', '=', owner.livemode)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Records that a try succeeded. Writes only if something changes: most endpoints never fail. */
    async noteSuccess(id: string): Promise<void> {
      await db
        .updateTable('webhook_endpoints')
        .set({ failing_since: null })
        .where('id', '=', toUuid('whk', id))
        .where('failing_since', 'is not', null)
        .execute();
    },

    /** Records that a try failed, if it is the first failure since the last success. */
    async noteFailure(id: string, at: Date): Promise<void> {
      await db
        .updateTable('webhook_endpoints')
        .set({ failing_since: at })
        .where('id', '=', toUuid('whk', id))
        .where('failing_since', 'is', null)
        .execute();
    },

    /** Disables an enabled endpoint, or only one failing since `failingSinceBefore`. Returns whether it did. */
    async disable(id: string, reason: DisabledReason, at: Date, failingSinceBefore?: Date): Promise<boolean> {
      let update = db
        .updateTable('webhook_endpoints')
        .set({ disabled_at: at, disabled_reason: reason })
        .where('id', '=', toUuid('whk', id))
        .where('disabled_at', 'is', null);
      if (failingSinceBefore) update = update.where('failing_since', '<=', failingSinceBefore);
      return (await update.returning('id').executeTakeFirst()) !== undefined;
    },
  };

  function ownedBy(owner: ProjectMode) {
    return db
      .selectFrom('webhook_endpoints')
      .where('project_id', '=', toUuid('proj', owner.projectId))
      .where('livemode', '=', owner.livemode);
  }
}

function toSecrets(row: Selectable<WebhookEndpointRow>): SealedSecrets {
  return {
    secret: row.secret,
    previousSecret: row.previous_secret,
    previousSecretExpiresAt: row.previous_secret_expires_at,
  };
}

function toEndpoint(row: Selectable<WebhookEndpointRow>): WebhookEndpoint {
  return {
    id: endpointId(row.id),
    projectId: projectId(row.project_id),
    livemode: row.livemode,
    url: row.url,
    description: row.description,
    events: row.events,
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since,
  };
}
