import { type RawBuilder, sql } from 'kysely';
import type { AspectRatio, GenerationType, Resolution } from '../domain/generation-request.ts';
import { uuidFromId } from '../domain/id.ts';
import type { ProjectMode } from '../domain/project-mode.ts';
import type { TaskStatus } from '../domain/task.ts';
import { toUuid } from './ids.ts';

export interface TaskFilter {
  status?: TaskStatus | undefined;
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
}

/** Looking a word up reads a few pages of every day, so a search for 100 words must not look all of them up. */
export const mostIndexedWords = 16;

/** The terms of a row, exactly as the index tasks_by_terms computes them. */
const termsOfRow = sql`list_terms(project_id, livemode,
  array['type=' || type, 'model=' || model, 'resolution=' || resolution, 'aspect_ratio=' || aspect_ratio,
    'key=' || key_id::text, case when status not in ('queued', 'in_progress') then 'status=' || status end]
  || tsvector_to_array(to_tsvector('simple', prompt)))`;

export function isOpen(status: TaskStatus | undefined): status is 'queued' | 'in_progress' {
  return status === 'queued' || status === 'in_progress';
}

/** Returns an SQL condition on a row of `tasks` for everything that a list can be filtered by. */
export function matchesExactly(owner: ProjectMode, filter: TaskFilter): RawBuilder<boolean> {
  const { status, type, model, resolution, aspectRatio, keyId, createdAfter, createdBefore, words } = filter;
  const conditions = [
    sql`project_id = ${toUuid('proj', owner.projectId)} and livemode = ${owner.livemode} and deleted_at is null`,
    status && sql`status = ${status}`,
    type && sql`type = ${type}`,
    model !== undefined && sql`model = ${model}`,
    resolution && sql`resolution = ${resolution}`,
    aspectRatio && sql`aspect_ratio = ${aspectRatio}`,
    keyId !== undefined && sql`key_id = ${uuidFromId('key', keyId)}`,
    createdAfter && sql`created_at >= ${createdAfter}`,
    createdBefore && sql`created_at < ${createdBefore}`,
    words !== undefined && sql`to_tsvector('simple', prompt) @@ plainto_tsquery('simple', ${words})`,
  ];
  return sql`(${sql.join(
    conditions.filter((condition) => typeof condition === 'object'),
    sql` and `,
  )})`;
}

/**
 * Returns a condition that the index of terms can decide alone, or null if the filter has no terms. It may be true for
 * more rows than match, if there are many words. `words` are those that Postgres has found in the filter's text.
 */
export function hasTerms(
  { projectId, livemode }: ProjectMode,
  filter: TaskFilter,
  words: readonly string[],
): RawBuilder<boolean> | null {
  const { status, type, model, resolution, aspectRatio, keyId } = filter;
  const properties = {
    type,
    model,
    resolution,
    aspect_ratio: aspectRatio,
    key: keyId === undefined ? undefined : uuidFromId('key', keyId),
    status: isOpen(status) ? undefined : status,
  };
  const named = Object.entries(properties).flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`));
  const terms = [...named, ...words.slice(0, mostIndexedWords)];
  if (terms.length === 0) return null;
  return sql`${termsOfRow} @> list_terms(${toUuid('proj', projectId)}, ${livemode}, ${terms}::text[])`;
}
