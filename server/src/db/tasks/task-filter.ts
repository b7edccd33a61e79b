import { type RawBuilder, sql } from 'kysely';
import type { AspectRatio, GenerationType, Resolution } from '../../domain/generation-request.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import type { TaskStatus } from '../../domain/task.ts';
import { toUuid } from '../connection/ids.ts';

export interface TaskFilter {
  /** One of these. */
  statuses?: readonly TaskStatus[] | undefined;
  type?: GenerationType | undefined;
  model?: string | undefined;
  resolution?: Resolution | undefined;
  aspectRatio?: AspectRatio | undefined;
  /** The key that created the task. A malformed id matches nothing. */
  keyId?: string | undefined;
  /** Inclusive. */
  createdAfter?: Date | undefined;
  /** Exclusive. */
  createdBefore?: Date | undefined;
  /** The prompt contains all of these words. */
  words?: string | undefined;
  /** The task's metadata contains all of these pairs. */
  metadata?: Readonly<Record<string, string>> | undefined;
}

/** Looking a word up reads a few pages of every day, so a search for 100 words must not look all of them up. */
export const mostIndexedWords = 16;

/** The terms of a row, exactly as the index tasks_by_terms computes them. */
const termsOfRow = sql`list_terms(project_id, livemode,
  array['type=' || type, 'model=' || model, 'resolution=' || resolution, 'aspect_ratio=' || aspect_ratio,
    'key=' || key_id::text, case when status not in ('queued', 'in_progress') then 'status=' || status end]
  || tsvector_to_array(to_tsvector('simple', prompt)))`;

/** Returns whether a status is one of tasks that have not ended. */
export function isOpen(status: TaskStatus): boolean {
  return status === 'queued' || status === 'in_progress';
}

/** Returns an SQL condition on a row of `tasks` for everything that a list can be filtered by. */
export function matchesExactly(owner: ProjectMode, filter: TaskFilter): RawBuilder<boolean> {
  const { statuses, type, model, resolution, aspectRatio, keyId, createdAfter, createdBefore, words, metadata } =
    filter;
  const conditions = [
    sql`project_id = ${toUuid('proj', owner.projectId)} and livemode = ${owner.livemode} and deleted_at is null`,
    statuses && sql`status = any(${statuses}::text[])`,
    type && sql`type = ${type}`,
    model !== undefined && sql`model = ${model}`,
    resolution && sql`resolution = ${resolution}`,
    aspectRatio && sql`aspect_ratio = ${aspectRatio}`,
    keyId !== undefined && sql`key_id = ${uuidFromId('key', keyId)}`,
    createdAfter && sql`created_at >= ${createdAfter}`,
    createdBefore && sql`created_at < ${createdBefore}`,
    words !== undefined && sql`to_tsvector('simple', prompt) @@ plainto_tsquery('simple', ${words})`,
    metadata && sql`metadata @> ${JSON.stringify(metadata)}::jsonb`,
  ];
  return sql`(${sql.join(
    conditions.filter((condition) => typeof condition === 'object'),
    sql` and `,
  )})`;
}

/**
 * Returns a condition that an index can decide alone, or null if the filter has none. It may be true for more rows than
 * match. `words` are those that Postgres has found in the filter's text. Of the statuses, only those of ended tasks count.
 */
export function hasTerms(
  { projectId, livemode }: ProjectMode,
  filter: TaskFilter,
  words: readonly string[],
): RawBuilder<boolean> | null {
  const { statuses = [], type, model, resolution, aspectRatio, keyId, metadata } = filter;
  const owner = sql`${toUuid('proj', projectId)}, ${livemode}`;
  // Pairs of metadata mostly belong to few tasks; the index of all other terms would only add work.
  if (metadata)
    return sql`metadata <> '{}' and metadata_terms(project_id, livemode, metadata)
      @> metadata_terms(${owner}, ${JSON.stringify(metadata)}::jsonb)`;
  const properties = {
    type,
    model,
    resolution,
    aspect_ratio: aspectRatio,
    key: keyId === undefined ? undefined : uuidFromId('key', keyId),
  };
  const named = Object.entries(properties).flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`));
  const all = [...named, ...words.slice(0, mostIndexedWords)];
  const any = statuses.filter((status) => !isOpen(status)).map((status) => `status=${status}`);
  const conditions = [
    ...(all.length === 0 ? [] : [sql`${termsOfRow} @> list_terms(${owner}, ${all}::text[])`]),
    ...(any.length === 0 ? [] : [sql`${termsOfRow} && list_terms(${owner}, ${any}::text[])`]),
  ];
  return conditions.length === 0 ? null : sql`${sql.join(conditions, sql` and `)}`;
}
