/** A small fault, `NAME.patch` in this folder, with the check of the gate that must find it. */
export interface Mutant {
  name: string;
  /** What the fault does to users. */
  fault: string;
  /** A test of the gate, a proof that the gate runs, or the simulation: one life, or random schedules from a seed on. */
  check: { project: string; file: string; title: string } | { proof: string } | { simulate: readonly string[] };
  /** What the check says when it finds the fault. */
  because: RegExp;
}

const server = (file: string, title: string, project = 'stack') => ({ project, file: `server/src/${file}`, title });

const life = (name: string) => ({ simulate: ['--life', name] });

export const mutants: readonly Mutant[] = [
  {
    name: 'lease-leaks',
    fault: 'The lease of a second attempt is never freed, so that its slot is lost.',
    check: life('retried'),
    because: /still has a lease/,
  },
  {
    name: 'fencing-ignored',
    fault: 'A worker whose attempt was taken over can still write for it.',
    check: server(
      'operations/attempts/take-over-attempt.stack.test.ts',
      'the former holder can neither free the slot nor retry the task',
    ),
    because: /expected true to be false/,
  },
  {
    name: 'idempotency-key-dropped',
    fault: 'A repeated create makes a second video.',
    check: life('idempotent'),
    because: /one key made two tasks/,
  },
  {
    name: 'forbidden-address-allowed',
    fault: 'A URL of a caller leads to a private IPv4 address.',
    check: server('outbound/classify-address.test.ts', 'forbidden addresses', 'unit'),
    because: /expected .*'public'.* to .*'forbidden'/,
  },
  {
    name: 'decoder-outside-its-box',
    fault: 'A decoder reads every file of the machine.',
    check: {
      project: 'unit',
      file: 'boxes/src/escape-attempts.test.ts',
      title: 'a hostile program in the place of the image child can do nothing that is not on the list',
    },
    because: /\+ +"read a secret file"/,
  },
  {
    name: 'webhook-unsigned',
    fault: 'A webhook is sent without a signature.',
    check: server(
      'activities/deliver-activities.stack.test.ts',
      'is a signed POST with the task as it was, and 2xx ends it',
    ),
    because: /Missing required headers/,
  },
  {
    name: 'read-across-projects',
    fault: 'A caller reads and deletes the task of another project.',
    check: server(
      'operations/tasks/delete-task.stack.test.ts',
      'a foreign, unknown or malformed id gets the same "not found", and nothing is deleted',
    ),
    because: /promise resolved .* instead of rejecting/,
  },
  {
    name: 'queue-unfair',
    fault: 'Projects share a pool without regard to their weights.',
    check: { proof: 'fairness' },
    because: /\(b\) shares are off/,
  },
  {
    name: 'outbox-row-lost',
    fault: 'A task whose workflow could not be started is forgotten.',
    check: { simulate: ['--seed', '1'] },
    because: /the reconciler found restarted/,
  },
  {
    name: 'usage-written-twice',
    fault: 'A video counts twice in the usage of its project.',
    check: life('plain'),
    because: /has not exactly one usage row/,
  },
  {
    name: 'cancelled-job-left-running',
    fault: 'The engine goes on with a job whose task was cancelled.',
    check: server(
      'activities/watch-job.stack.test.ts',
      'leaves the job running if only the watcher is stopped, and stops the job if the task has ended',
    ),
    because: /expected \[\] to deeply equal \[ 'task_/,
  },
  {
    name: 'secret-in-a-log',
    fault: 'The key of each request is written to the log.',
    check: { proof: 'secrets' },
    because: /\.log contains/,
  },
  // These do no harm unless a process dies, or a call is lost, at one place: only the simulation finds them.
  {
    name: 'key-before-task',
    fault: 'An idempotency key is committed before its task: after a crash it replays a task that does not exist.',
    check: life('idempotent'),
    because: /was accepted, and is gone/,
  },
  {
    name: 'image-after-task',
    fault: 'A task is committed before its image: after a crash it has none.',
    check: life('with image'),
    because: /ended failed: .*storage_failed/,
  },
  {
    name: 'attempt-after-begin',
    fault: 'A task begins before its attempt has a row: after a crash nobody can take it over.',
    check: life('plain'),
    because: /it was not over after/,
  },
  {
    name: 'outcome-after-retry',
    fault: 'A task is queued again before the outcome of its attempt is written: after a crash the attempt has none.',
    check: life('retried'),
    because: /is an attempt without an outcome/,
  },
  {
    name: 'usage-after-end',
    fault: 'A video is completed before its usage is written: after a crash nobody pays for it.',
    check: life('plain'),
    because: /has not exactly one usage row/,
  },
  {
    name: 'event-after-end',
    fault: 'A video is completed before its event is written: after a crash no receiver learns of it.',
    check: life('plain'),
    because: /has not exactly one end/,
  },
  {
    name: 'try-after-delivery',
    fault: 'The outcome of a delivery is committed before its try: after a crash the list of tries is short.',
    check: life('webhook that fails and succeeds'),
    because: /has not all of its tries/,
  },
  {
    name: 'start-after-delete',
    fault:
      'The relay deletes the row of a delivery before it starts its workflow: after a crash only the reconciler does.',
    check: { simulate: ['--seed', '1'] },
    because: /the reconciler found delivery-restarted/,
  },
];
