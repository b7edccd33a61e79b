import { northEndpoints } from '../north-pool.ts';

/** All that was done to an installation, and the result, as plain data for the checker. Times are unix milliseconds. */
export interface History {
  posts: Post[];
  /** Responses that no kill explains: anything but 200, 429, 503 or a broken connection. */
  unexpectedResponses: { request: string; status: number; body: string }[];
  /** Final statuses that clients read while parts were being killed. */
  observations: { taskId: string; status: string }[];
  cancels: { taskId: string; isConfirmed: boolean }[];
  kills: Kill[];
  /** Workflows that the proof terminated in Temporal without the service's knowledge. */
  terminations: { taskId: string; stage: 'rendering' | 'finishing'; at: number }[];
  /** SIGTERMs to each worker in turn while nothing else was killed, with the tasks that rendered in a first attempt. */
  drains: { at: number; taskIds: string[] }[];
  /** Jobs that the engine logged as accepted. */
  submits: string[];
  /** Findings that the reconciler logged. */
  findings: { kind: string; taskId: string | null }[];
  /** When a worker logged that it took an attempt over. */
  takeoversAt: number[];
  /** Parts that exited without a kill and were restarted. */
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
/** How many processes of a role run. Both of two workers or relays are never killed at once on purpose. */
export const copies: Record<(typeof roles)[number], number> = {
  api: 1,
  relay: 2,
  worker: 2,
  animatic: northEndpoints.length,
};
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
  /** Null if no response came; a task may exist nevertheless. */
  taskId: string | null;
}

export interface Kill {
  target: Target;
  /** Null if the kill came at a random moment. */
  failpoint: Failpoint | null;
  at: number;
  /** When the target was ready again. */
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

/** The least that a run must have done for its result to count. */
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
