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

export const mutants: readonly Mutant[] = [
  {
    name: 'lease-leaks',
    fault: 'The lease of a second attempt is never freed, so that its slot is lost.',
    check: { simulate: ['--life', 'retried'] },
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
    check: server(
      'operations/tasks/idempotency.stack.test.ts',
      '40 creates at once make one task, and all but the first replay its response, byte for byte',
    ),
    because: /expected 40 to be 1/,
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
      file: 'boxes/src/walls.test.ts',
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
    check: server(
      'relay/outbox-relay.stack.test.ts',
      'a message stays for the relay while Temporal is unreachable, and its writer does not wait',
    ),
    because: /to have a length of 1 but got \+0/,
  },
  {
    name: 'usage-written-twice',
    fault: 'A video counts twice in the usage of its project.',
    check: { project: 'e2e', file: 'e2e/usage.e2e.ts', title: 'usage counts ended tasks by day and by hour' },
    because: /expected 4 to be 2/,
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
];
