/** Everything that was done to an installation and what came of it, as plain data that one function judges. Times are unix milliseconds. */
export interface History {
  posts: Post[];
  /** Answers that no kill excuses: neither 200 nor 429 or 503 nor a broken connection. */
  unexpectedResponses: { request: string; status: number; body: string }[];
  /** Final statuses as readers saw them while everything was being killed. */
  observations: { taskId: string; status: string }[];
  cancels: { taskId: string; isConfirmed: boolean }[];
  kills: Kill[];
  /** Workflows terminated behind the service's back. */
  terminations: { taskId: string; stage: 'rendering' | 'finishing'; at: number }[];
  /** SIGTERMs of the worker, nothing else being killed, with the tasks that were in their first attempt and not yet ended. */
  drains: { at: number; taskIds: string[] }[];
  /** Jobs that the engine itself says it has begun. */
  submits: string[];
  /** What the reconciler said it found. */
  findings: { kind: string; taskId: string | null }[];
  /** When a worker said that it has taken an attempt over. */
  takeoversAt: number[];
  /** Parts that ended without having been killed and were started again. */
  deaths: { target: Target; at: number }[];
  tasks: TaskRecord[];
  attempts: AttemptRecord[];
  events: { taskId: string; type: string; at: number }[];
  usage: { taskId: string; status: string }[];
  projectSlots: { projectId: string; livemode: boolean; running: number; waiting: number }[];
  leases: { endpointId: string; slot: number; taskId: string | null }[];
  outboxRows: number;
  /** Everything in the bucket after the sweep, with the hash of its bytes. */
  objects: { key: string; sha256: string }[];
  workflows: { running: number; failed: number };
}

export const roles = ['api', 'relay', 'worker', 'animatic'] as const;
export const parts = ['temporal', 'postgres', 's3'] as const;
export type Target = (typeof roles)[number] | (typeof parts)[number];

export const failpoints = [
  'after-accept-commit',
  'after-answer',
  'after-start',
  'after-begin',
  'after-submit',
  'while-rendering',
  'while-storing-raw',
  'after-upload',
] as const;
export type Failpoint = (typeof failpoints)[number];

export interface Post {
  clientId: string;
  /** Null while no answer came: a task may exist nevertheless. */
  taskId: string | null;
}

export interface Kill {
  target: Target;
  /** Null: at a random moment. */
  failpoint: Failpoint | null;
  at: number;
  /** When the target was of use again. */
  readyAt: number | null;
}

export interface TaskRecord {
  id: string;
  clientId: string | null;
  status: string;
  attempt: number;
  failedAttempts: number;
  restarts: number;
  errorCode: string | null;
  video: { objectKey: string; thumbnailKey: string; spritesheetKey: string; sha256: string } | null;
  imageKey: string | null;
}

export interface AttemptRecord {
  taskId: string;
  attempt: number;
  outcome: string | null;
  takeovers: number;
  beganAt: number;
  endedAt: number | null;
}

/** How much has to be done and survived for the promise to count as kept. */
export interface Thresholds {
  tasks: number;
  kills: number;
  hitsOfEachFailpoint: number;
  followedTakeovers: number;
  terminationsOfEachStage: number;
  drains: number;
  failedShare: number;
}

export function emptyHistory(): History {
  return {
    posts: [],
    unexpectedResponses: [],
    observations: [],
    cancels: [],
    kills: [],
    terminations: [],
    drains: [],
    submits: [],
    findings: [],
    takeoversAt: [],
    deaths: [],
    tasks: [],
    attempts: [],
    events: [],
    usage: [],
    projectSlots: [],
    leases: [],
    outboxRows: 0,
    objects: [],
    workflows: { running: 0, failed: 0 },
  };
}
