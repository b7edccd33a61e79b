import type { Log } from './log.ts';
import { logSeconds } from './log-seconds.ts';
import { idsOfWorkflow } from './workflow-ids.ts';

type Meta = Record<string, unknown>;

/**
 * Temporal's messages as lines of our log. Its informational ones are at debug. Its text stays the message, because it is all
 * that identifies what happened; errors become `err`, and of its fields only those that an operator can use are kept.
 */
export function createTemporalLog(log: Log) {
  const write = (level: string, text: string, meta: Meta = {}): void => {
    // Three of the queues have no workflows on purpose.
    const isExpected = text.startsWith('No workflows registered');
    // The native part hands errors over as text, and puts some of them into the message. A message without an error counts as
    // one, because it may repeat as often.
    const [message = text, status] = text.split(/: (?=Status \{)/, 2);
    const fields = { ...idsOf(meta), err: meta['error'] ?? meta['err'] ?? status ?? text };
    const isActivity = meta['activityType'] !== undefined;
    if (isExpected || (level !== 'ERROR' && level !== 'WARN'))
      log.debug({ event: 'temporal.reported', ...fields }, message);
    else if (level === 'ERROR') log.error({ event: 'temporal.reported', ...fields }, message);
    else if (isActivity) log.warn({ event: 'activity.failed', ...fields }, 'activity failed');
    else log.warn({ event: 'temporal.reported', ...fields }, message);
  };
  return {
    log: write,
    trace: (text: string, meta?: Meta) => write('TRACE', text, meta),
    debug: (text: string, meta?: Meta) => write('DEBUG', text, meta),
    info: (text: string, meta?: Meta) => write('INFO', text, meta),
    warn: (text: string, meta?: Meta) => write('WARN', text, meta),
    error: (text: string, meta?: Meta) => write('ERROR', text, meta),
  };
}

function idsOf(meta: Meta) {
  const { workflowId, workflowType, activityType, taskQueue, attempt, durationMs } = meta;
  return {
    ...(typeof workflowId === 'string' ? idsOfWorkflow(workflowId) : {}),
    ...(workflowType === undefined ? {} : { workflow: workflowType }),
    ...(activityType === undefined ? {} : { activity: activityType }),
    ...(taskQueue === undefined ? {} : { queue: taskQueue }),
    // Not the attempt of the task, which the other lines call so.
    ...(attempt === undefined ? {} : { activityTry: attempt }),
    ...(typeof durationMs === 'number' ? { seconds: logSeconds(durationMs) } : {}),
  };
}
