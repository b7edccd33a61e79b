import type { Limits } from '@kinora/sdk';
import { formatBytes, formatCount, formatDuration } from '../../design/format.ts';

export interface LimitRow {
  name: string;
  used: number;
  limit: number;
  /** The use in words, with its unit. */
  text: string;
  /** A sentence that says what happens at the limit. */
  atLimit: string;
  /** Full use is good use. */
  mayBeFull?: boolean;
}

export interface LimitGroup {
  title: string;
  rows: LimitRow[];
}

/** Returns the limits in the order in which people meet them, with what each means. */
export function limitGroups(limits: Limits): LimitGroup[] {
  const { running, waiting, waiting_total: waitingTotal, creates, reads, uploads, storage, files } = limits;
  return [
    {
      title: 'Tasks',
      rows: [
        {
          name: 'Running at once',
          ...running,
          text: `${formatCount(running.used)} of ${formatCount(running.limit)}`,
          atLimit: 'More tasks wait, and one starts whenever another ends.',
          mayBeFull: true,
        },
        {
          name: 'Waiting for one model',
          ...waiting,
          text: `${formatCount(waiting.used)} of ${formatCount(waiting.limit)}`,
          atLimit: 'New tasks for this model are refused with too_many_waiting_tasks until some have started.',
        },
        {
          name: 'Waiting in all',
          ...waitingTotal,
          text: `${formatCount(waitingTotal.used)} of ${formatCount(waitingTotal.limit)}`,
          atLimit: 'New tasks are refused with too_many_waiting_tasks until some have started.',
        },
      ],
    },
    {
      title: 'Requests',
      rows: [
        rateRow('Creates', creates, 'Creates are refused with rate_limited. The response says when to try again.'),
        rateRow('Uploads', uploads, 'Uploads are refused with rate_limited for a few seconds.'),
        rateRow(
          'Other requests, per key',
          reads,
          'Requests with that key are refused with rate_limited for a few seconds. The bar shows your own use of this console.',
        ),
      ],
    },
    {
      title: 'Storage',
      rows: [
        {
          name: 'Stored bytes',
          used: storage.used_bytes,
          limit: storage.limit_bytes,
          text: `${formatBytes(storage.used_bytes)} of ${formatBytes(storage.limit_bytes)}`,
          atLimit:
            'Creates and uploads are refused with storage_limit_reached. Videos of accepted tasks are still stored. Delete videos to make room.',
        },
        {
          name: 'Uploaded files',
          ...files,
          text: `${formatCount(files.used)} of ${formatCount(files.limit)}`,
          atLimit: 'Uploads are refused with storage_limit_reached. Delete uploads, or wait until some expire.',
        },
      ],
    },
  ];
}

function rateRow(name: string, rate: Limits['creates'], atLimit: string): LimitRow {
  const used = Math.max(0, rate.burst - rate.remaining);
  const recovery =
    rate.reset_seconds > 0 ? `, all ${formatCount(rate.burst)} in ${formatDuration(rate.reset_seconds)}` : '';
  return {
    name,
    used,
    limit: rate.burst,
    text: `${formatCount(rate.remaining)} left now${recovery} · ${formatCount(rate.limit_per_minute)} per minute`,
    atLimit,
  };
}
