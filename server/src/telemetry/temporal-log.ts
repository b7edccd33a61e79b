import type { Log } from './log.ts';
import { logSeconds } from './log-seconds.ts';
import { idsOfWorkflow } from './workflow-ids.ts';

type Meta = Record<string, unknown>;

/**
 * Writes Temporal's messages to our log, its informational ones at debug. The message text is kept, except for failed
 * activities, whose fields already identify them. Errors become `err`; only fields that an operator can use are kept.
 */
export function createTemporalLog(log: Log) {
  const write = (level: string, text: string, meta: Meta = {}): void => {
    // The render, follow and media queues run only activities.
    const isExpected = text.startsWith('No workflows registered');
    // The native part puts errors into messages. One without an error is its own `err`, so that repeats are suppressed.
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
    // Named `activityTry` because `attempt` in our log is the task's attempt.
    ...(attempt === undefined ? {} : { activityTry: attempt }),
    ...(typeof durationMs === 'number' ? { seconds: logSeconds(durationMs) } : {}),
  };
}
