interface LogEventDescription {
  /** The level at which the event is usually logged. */
  level: 'info' | 'warn' | 'error' | 'fatal';
  /** What happened, and what an operator should do about it, if anything. */
  meaning: string;
}

/** Every event that the animatic logs. The names are stable; docs/operations/logs.md is generated from this table. */
export const logEvents = {
  'process.failed': {
    level: 'fatal',
    meaning: 'The animatic could not start, or could not shut down; `err` says why.',
  },
  'process.stopping': { level: 'info', meaning: 'The animatic received the signal in `signal` and stops its jobs.' },
  'process.stopped': { level: 'info', meaning: 'Shutdown is complete.' },
  'animatic.listening': {
    level: 'info',
    meaning: 'The animatic accepts jobs at `url`; `isolation` says how its children are isolated.',
  },
  'request.failed': { level: 'error', meaning: 'A request to the animatic failed. Report it with `err`.' },
  'job.accepted': { level: 'info', meaning: 'A job started. There is exactly one such line per job that starts.' },
  'job.succeeded': { level: 'info', meaning: 'A job rendered its video within `renderSeconds`.' },
  'job.stopped': {
    level: 'info',
    meaning: 'A job was stopped because the server cancelled it or the animatic is shutting down.',
  },
  'job.failed': {
    level: 'error',
    meaning: 'A job failed with `code`. The level is info if a test prompt forced the failure.',
  },
  'job.forgotten': { level: 'info', meaning: 'A job disappeared, because a test prompt forced that.' },
  'job.expired': {
    level: 'warn',
    meaning: 'A job ended and no server fetched its output, so it was deleted. Check that workers run.',
  },
  'files.delete_failed': { level: 'error', meaning: 'Files of a job are still in the scratch folder.' },
  'jobs.sweep_failed': { level: 'error', meaning: 'Old jobs could not be deleted. The animatic retries in a minute.' },
} as const satisfies Record<string, LogEventDescription>;

export type LogEvent = keyof typeof logEvents;
