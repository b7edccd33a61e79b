import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import { uuidFromId } from '../../domain/id.ts';
import type { ListPage } from '../../domain/list-page.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import type { Task } from '../../domain/task.ts';
import type { LiveEntry } from '../attempts/live-entry-table.ts';
import { taskId, toUuid } from '../connection/ids.ts';
import type { Schema, TaskRow } from '../connection/schema.ts';
import { hasTerms, isOpen, matchesExactly, mostIndexedWords, type TaskFilter } from './task-filter.ts';
import { type LiveColumns, toLive, toTask } from './task-row.ts';
import { type IdRange, rangeOf, wholeDays, windowsOf } from './task-windows.ts';

interface TaskListRequest extends ListPage {
  owner: ProjectMode;
  filter: TaskFilter;
  now: Date;
}

interface TaskListPage {
  views: { task: Task; live: LiveEntry | null }[];
  /** The cursor of the next page: a task's id, which need not be on this page. Null if there are no more tasks. */
  next: string | null;
}

type ViewRow = Selectable<TaskRow> & LiveColumns;

/** Rows found in the order of the list, and the id of the last row read if the search stopped there. */
interface Walked {
  rows: ViewRow[];
  stoppedAt: string | null;
  /** The cursor of the next page if more rows match than a page holds, even if some were deleted since they were found. */
  next?: string | undefined;
}

/** Most pages are full after the newest rows: a filter that many tasks match needs no index. */
const firstRows = 500;
/** The rows of a project that one page reads at most, whatever the filter: some tens of milliseconds. */
const mostRows = 10_000;

/** The tasks of a project, page by page. */
export function taskListTable(db: Kysely<Schema>) {
  return {
    /**
     * Returns at most `limit` tasks with the last reported progress of each. First it looks through the newest rows (or
     * those after the cursor). If that does not fill the page, an index finds all rows that match a rare filter. If even
     * the index finds too many, it looks through `mostRows` rows, and the page may be short although more tasks match.
     */
    async page(request: TaskListRequest): Promise<TaskListPage> {
      const { filter, order, limit } = request;
      const none = { views: [], next: null };
      if (filter.keyId !== undefined && uuidFromId('key', filter.keyId) === null) return none;
      const words = filter.words === undefined ? [] : await wordsOf(db, filter.words);
      if (filter.words !== undefined && words.length === 0) return none;
      const candidates = candidatesOf(request, words);
      const walked = (await find(db, request, candidates)) ?? (await walk(db, request, mostRows));
      const rows = walked.rows.slice(0, limit);
      const last = rows.at(-1)?.id;
      const cursor = walked.next ?? (walked.rows.length > limit ? last : furthest(walked.stoppedAt, last, order));
      return {
        views: rows.map((row) => ({ task: toTask(row), live: toLive(row) })),
        next: cursor === undefined ? null : taskId(cursor),
      };
    },
  };
}

/** Returns the whole page, or null if too many rows of the project match for that. */
async function find(
  db: Kysely<Schema>,
  request: TaskListRequest,
  candidates: RawBuilder<unknown> | null,
): Promise<Walked | null> {
  if (!candidates) return null;
  const walked = await walk(db, request, firstRows);
  if (walked.stoppedAt === null) return walked;
  const range = rangeOf(request);
  const result = await sql<{ found: number; ids: string[] }>`
    with candidates as materialized (${candidates})
    select (select count(*) from candidates)::integer as found, array(
      select id from candidates where is_match and ${isWithin(range)}
      order by id ${sql.raw(request.order)} limit ${request.limit + 1}
    ) as ids`.execute(db);
  const { found, ids } = only(result.rows);
  if (found > mostRows) return null;
  const next = ids.length > request.limit ? ids[request.limit - 1] : undefined;
  return { rows: await readRows(db, request, ids.slice(0, request.limit)), stoppedAt: null, next };
}

/** Rows that may match, at most one more than `mostRows`; null if no index can tell. Ids span days, as a bound. */
function candidatesOf(request: TaskListRequest, words: readonly string[]): RawBuilder<unknown> | null {
  const { filter } = request;
  const statuses = filter.statuses ?? [];
  // Whatever the statuses are, pairs of metadata narrow the rows down more.
  const isOfOpen = filter.metadata === undefined && statuses.some(isOpen);
  if (!isOfOpen) return candidatesByTerms(request, words);
  const ended = statuses.filter((status) => !isOpen(status));
  const ofEnded =
    ended.length === 0 ? null : candidatesByTerms({ ...request, filter: { ...filter, statuses: ended } }, words);
  const ofOpen = openCandidates(request);
  return ofEnded ? sql`(${ofOpen}) union all (${ofEnded})` : ofOpen;
}

/** Returns the part of the candidates that have not ended. */
function openCandidates({ owner, filter }: TaskListRequest): RawBuilder<unknown> {
  const open = (isAdmitted: RawBuilder<boolean>) => sql`(select id from open_tasks
    where project_id = ${toUuid('proj', owner.projectId)} and livemode = ${owner.livemode}
      and status = any(${filter.statuses ?? []}::text[]) and ${isAdmitted} limit ${mostRows + 1})`;
  // `limit 1` makes the planner look each task up in the partition of its day.
  return sql`select open.id, found.is_match
    from (${open(sql`admitted_at is null`)} union all ${open(sql`admitted_at is not null`)} limit ${mostRows + 1}) open
    cross join lateral (
      select ${matchesExactly(owner, filter)} as is_match from tasks where tasks.id = open.id limit 1
    ) found`;
}

function candidatesByTerms(request: TaskListRequest, words: readonly string[]): RawBuilder<unknown> | null {
  const { owner, filter } = request;
  const isCandidate = hasTerms(owner, filter, words);
  // The index has looked for all the words, unless there are too many or another index was used.
  const areWordsFound = words.length <= mostIndexedWords && filter.metadata === undefined;
  const others = areWordsFound ? { ...filter, words: undefined } : filter;
  return (
    isCandidate &&
    sql`select id, ${matchesExactly(owner, others)} as is_match from tasks
      where ${isCandidate} and ${isWithin(wholeDays(rangeOf(request)))} limit ${mostRows + 1}`
  );
}

/** Looks through the project's rows in the order of the list, a few days at first and then more. */
async function walk(db: Kysely<Schema>, request: TaskListRequest, most: number): Promise<Walked> {
  const { owner, filter, limit } = request;
  const order = sql.raw(request.order);
  const found: ViewRow[] = [];
  let left = most;
  for (const range of windowsOf(request)) {
    // As an array: for an equality the planner may walk the primary key and read the tasks of all other projects.
    const walked = sql`from tasks
      where project_id = any(array[${toUuid('proj', owner.projectId)}::uuid]) and livemode = ${owner.livemode}
        and ${isWithin(range)}
      order by project_id ${order}, id ${order} limit ${left}`;
    const matching = await sql<ViewRow>`
      select task.*, ${liveColumns} from (
        select * from (select *, ${matchesExactly(owner, filter)} as is_match ${walked}) walked
        where is_match order by project_id ${order}, id ${order} limit ${limit + 1 - found.length}
      ) task ${withLiveEntry} order by task.id ${order}`.execute(db);
    found.push(...matching.rows);
    if (found.length > limit) return { rows: found, stoppedAt: null };
    const result = await sql<{ seen: number; last: string | null }>`
      select count(*)::integer as seen, (array_agg(id order by id ${order}))[count(*)] as last
      from (select id ${walked}) walked`.execute(db);
    const { seen, last } = only(result.rows);
    left -= seen;
    if (left <= 0) return { rows: found, stoppedAt: last };
  }
  return { rows: found, stoppedAt: null };
}

async function readRows(
  db: Kysely<Schema>,
  { owner: { projectId, livemode }, order }: TaskListRequest,
  ids: readonly string[],
): Promise<ViewRow[]> {
  const [lowest, highest] = order === 'asc' ? [ids[0], ids.at(-1)] : [ids.at(-1), ids[0]];
  if (lowest === undefined) return [];
  const result = await sql<ViewRow>`
    select task.*, ${liveColumns}
    from unnest(${ids}::uuid[]) wanted (id)
    cross join lateral (
      select * from tasks where tasks.id = wanted.id and tasks.id between ${lowest} and ${highest} limit 1
    ) task
    ${withLiveEntry}
    where task.project_id = ${toUuid('proj', projectId)} and task.livemode = ${livemode} and task.deleted_at is null
    order by task.id ${sql.raw(order)}`.execute(db);
  return result.rows;
}

const liveColumns = sql`live.attempt as live_attempt, live.stage as live_stage, live.progress as live_progress,
  live.progress_source as live_progress_source`;
// `limit 1` makes the planner look each entry up, however many there are.
const withLiveEntry = sql`left join lateral (select * from live_entries where task_id = task.id limit 1) live on true`;

/** Returns the words of a text as Postgres stores those of a prompt. */
async function wordsOf(db: Kysely<Schema>, text: string): Promise<string[]> {
  const result = await sql<{ words: string[] }>`
    select tsvector_to_array(to_tsvector('simple', ${text})) as words`.execute(db);
  return only(result.rows).words;
}

function isWithin({ lowest, beyond, after }: IdRange): RawBuilder<boolean> {
  const bounds = [sql`id >= ${lowest}`, sql`id < ${beyond}`, ...(after === null ? [] : [sql`id > ${after}`])];
  return sql`${sql.join(bounds, sql` and `)}`;
}

/** Returns the cursor that is further along. New rows may push the last row read behind the last one found. */
function furthest(stoppedAt: string | null, last: string | undefined, order: 'asc' | 'desc'): string | undefined {
  if (stoppedAt === null || last === undefined) return stoppedAt ?? undefined;
  return stoppedAt > last === (order === 'asc') ? stoppedAt : last;
}

function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('Postgres returned no row');
  return row;
}
