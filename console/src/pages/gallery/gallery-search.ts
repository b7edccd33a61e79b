import type { ListVideos, Task } from '@kinora/sdk';

/** The filters of the gallery, as they stand in its address. */
export interface GallerySearch {
  q?: string;
  model?: string;
  resolution?: Task['resolution'];
  ratio?: Task['aspect_ratio'];
  status?: Task['status'];
  key?: string;
  /** Created since then; or on the days from `from` to `to`. */
  since?: Since;
  from?: string;
  to?: string;
}

export type Since = keyof typeof secondsOf;

const secondsOf = { day: 86_400, week: 7 * 86_400, month: 30 * 86_400 };
export const resolutions = ['480p', '720p', '1080p'] as const;
export const ratios = ['16:9', '9:16', '4:3', '3:4', '21:9', '1:1'] as const;
export const statuses = ['completed', 'in_progress', 'queued', 'failed', 'cancelled'] as const;

/** Without a choice the gallery leaves out what has nothing to look at yet; the queue has it. */
const started = statuses.filter((status) => status !== 'queued');

/** Reads the state of the page from its address; what is malformed is left out. */
export function readGallerySearch(search: Record<string, unknown>): GallerySearch {
  const text = (value: unknown): string | undefined => {
    // The router reads `?q=42` as a number.
    const string = typeof value === 'number' ? String(value) : value;
    return typeof string === 'string' && string.trim() !== '' ? string.slice(0, 200) : undefined;
  };
  const oneOf = <Value extends string>(value: unknown, values: readonly Value[]): Value | undefined =>
    values.find((one) => one === value);
  const day = (value: unknown): string | undefined =>
    typeof value === 'string' && dayStart(value) !== null ? value : undefined;
  const found: GallerySearch = {
    q: text(search['q']),
    model: text(search['model']),
    resolution: oneOf(search['resolution'], resolutions),
    ratio: oneOf(search['ratio'], ratios),
    status: oneOf(search['status'], statuses),
    key: text(search['key']),
    since: oneOf(search['since'], ['day', 'week', 'month']),
    from: day(search['from']),
    to: day(search['to']),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** Returns the request for the tasks that the filters leave. Days are those of the reader's own time zone. */
export function listQueryOf(search: GallerySearch, nowMilliseconds: number): ListVideos {
  const { q, model, resolution, ratio, status, key, since, from, to } = search;
  const after = since ? Math.floor(nowMilliseconds / 1000) - secondsOf[since] : from ? dayStart(from) : null;
  const before = to ? dayStart(to, 1) : null;
  return {
    ...(q ? { q } : {}),
    ...(model ? { model } : {}),
    ...(resolution ? { resolution } : {}),
    ...(ratio ? { aspect_ratio: ratio } : {}),
    status: status ?? started,
    ...(key ? { key_id: key } : {}),
    ...(after === null ? {} : { created_after: after }),
    ...(before === null ? {} : { created_before: before }),
  };
}

/** Whether a new task belongs to what the filters leave. Tasks do not say which key made them, so with one none does. */
export function matchesSearch(task: Task, search: GallerySearch, nowMilliseconds: number): boolean {
  const { created_after: after, created_before: before } = listQueryOf(search, nowMilliseconds);
  const prompt = task.prompt.toLowerCase();
  return (
    (search.q ?? '')
      .toLowerCase()
      .split(/\s+/)
      .every((word) => prompt.includes(word)) &&
    (search.model ?? task.model) === task.model &&
    (search.resolution ?? task.resolution) === task.resolution &&
    (search.ratio ?? task.aspect_ratio) === task.aspect_ratio &&
    (search.status ? task.status === search.status : task.status !== 'queued') &&
    search.key === undefined &&
    task.created_at >= (after ?? 0) &&
    task.created_at < (before ?? Number.POSITIVE_INFINITY)
  );
}

/** Returns when a day such as `2026-11-18` begins, or the day so many days after it; null if there is no such day. */
function dayStart(day: string, daysLater = 0): number | null {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  if (!year) return null;
  const start = new Date(Number(year), Number(month) - 1, Number(date) + daysLater).getTime() / 1000;
  return start >= 0 ? start : null;
}
