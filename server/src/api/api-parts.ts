import type { FastifyInstance } from 'fastify';
import type { KeyUser } from '../db/access/find-refusals.ts';
import type { StoredView } from '../db/tasks/task-view-table.ts';
import type { Caller } from '../domain/caller.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import type { ProjectMode } from '../domain/project-mode.ts';
import type { Shards } from '../domain/shard.ts';
import type { Task } from '../domain/task.ts';
import type { TaskView } from '../domain/task-view.ts';
import type { ErrorCode } from '../errors.ts';
import type { HttpParts } from '../http/create-http-app.ts';
import type { HealthParts } from '../http/health-routes.ts';
import type { TaskHub } from '../live/task-hub.ts';
import type { listAuditEvents } from '../operations/audit/list-audit-events.ts';
import type { readEvents } from '../operations/events/read-events.ts';
import type { deleteFile, findFile } from '../operations/files/find-file.ts';
import type { uploadFile } from '../operations/files/upload-file.ts';
import type { IssuedApiKey } from '../operations/keys/create-api-key.ts';
import type { grantApiKey } from '../operations/keys/grant-api-key.ts';
import type { listApiKeys } from '../operations/keys/list-api-keys.ts';
import type { readUsage } from '../operations/projects/read-usage.ts';
import type { KnownSpeeds } from '../operations/queue/known-speeds.ts';
import type { createTask } from '../operations/tasks/create-task.ts';
import type { deleteTask } from '../operations/tasks/delete-task.ts';
import type { TaskListQuery } from '../operations/tasks/list-tasks.ts';
import type { readFile } from '../operations/tasks/read-file.ts';
import type { readTimeline } from '../operations/tasks/read-timeline.ts';
import type { grantAccessToken } from '../operations/tokens/grant-access-token.ts';
import type { ApiWebhooks } from './api-webhooks.ts';
import type { TaskLinks } from './presenters/present-task.ts';
import type { UrlSigner } from './presenters/url-signer.ts';
import type { PromptWarning } from './requests/prompt-warning.ts';
import type { RefusalOfUrl } from './requests/receiver-url-problem.ts';
import type { Wired } from './wired.ts';

/** The task that was read together with the caller's key; null if the caller has no such task. */
export type FoundTask = StoredView | null;

interface WithFoundTask {
  /** Undefined if no task was read with the key. */
  foundTask?: FoundTask | undefined;
}

/** The API's dependencies. They throw AppErrors for callers; a lost database is `overloaded`, else `internal_error`. */
export interface ApiParts extends HttpParts, HealthParts {
  /** The URL at which callers reach the service; never taken from a request. */
  publicUrl: string;
  /** Whether /docs and /openapi.json are served. */
  hasDocs: boolean;
  /** Gets the app before its routes are added. The generator of openapi.json collects them so. */
  beforeRoutes?: (app: FastifyInstance) => void;
  /** Returns the current models; the operator may change them at any time. */
  catalogue(): Catalogue;
  /** Returns the pools that have an endpoint which accepts jobs now. */
  acceptingPools(): Promise<ReadonlySet<string>>;
  /** Returns how many tasks of a project wait at the model with the most. */
  mostWaiting(project: ProjectMode): Promise<number>;
  /** Measured durations of tasks, per model. */
  speeds: Pick<KnownSpeeds, 'find' | 'of'>;
  /** Whether an image_url may be plain http. */
  allowHttpImages: boolean;
  /** Returns why a webhook's URL can never be called, as far as the URL itself shows. */
  refusalOfUrl: RefusalOfUrl;
  promptWarning: PromptWarning;
  webhooks: ApiWebhooks;
  /** The origins whose pages may call the API; signed URLs are open to all pages. */
  corsOrigins: readonly string[];
  /** The shards of this installation. Requests for others are refused as `moving`. */
  shards: Shards;
  /** Calls `beforeLookup` before a key that this process does not know costs a query. It may throw to prevent that. */
  authenticate(key: string, beforeLookup: () => void, taskId?: string | null): Promise<Caller & WithFoundTask>;
  /** Remembers for the audit log that a key was refused. */
  noteRefusedKey(key: string, code: ErrorCode, address: string | null): void;
  /** How many requests per minute one client address may send without a valid key. */
  keylessPerMinute: number;
  /** How many downloads may run at once. */
  downloadLimit: number;
  /** The keys of the caller's project and mode. */
  apiKeys: {
    list: Wired<typeof listApiKeys>;
    create: Wired<typeof grantApiKey>;
    rotate(caller: Caller, keyId: string, overlapSeconds: number): Promise<IssuedApiKey>;
    revoke(caller: Caller, keyId: string): Promise<void>;
  };
  /** Issues a token for the caller's key. */
  createToken: Wired<typeof grantAccessToken>;
  /** Returns a page of the audit log of the caller's project and mode. */
  listAuditEvents: Wired<typeof listAuditEvents>;
  /** Resolves once the task is committed. `onSent` is called once the response is sent, whether or not it arrived. */
  createTask: Wired<typeof createTask>;
  /** Returns a task of the caller. `found` is what `authenticate` has read, which saves a query. */
  readTask(caller: Caller, taskId: string, found?: FoundTask): Promise<TaskView>;
  /** `next` is the cursor of the next page, or null if there are no more tasks. */
  listTasks(
    caller: Caller,
    query: TaskListQuery,
  ): Promise<{ views: TaskView[]; next: string | null; activeTasks: number; readsPerMinute: number }>;
  /** Returns the cancelled task. */
  cancelTask(caller: Caller, taskId: string): Promise<TaskView>;
  deleteTask: Wired<typeof deleteTask>;
  readTimeline: Wired<typeof readTimeline>;
  /** Returns the usage of the caller's project and mode. */
  readUsage: Wired<typeof readUsage>;
  /** `caller` is null for a signed URL. `beforeRead` gets the task's owner before the store is used, and may throw. */
  readFile(...request: Required<Parameters<Wired<typeof readFile>>>): ReturnType<typeof readFile>;
  /** Uploaded images of the caller's project and mode. */
  files: {
    upload: Wired<typeof uploadFile>;
    find: Wired<typeof findFile>;
    delete: Wired<typeof deleteFile>;
  };
  /** Notifies watchers of changes as they happen. */
  hub: Pick<TaskHub, 'watchTask' | 'watchProject'>;
  /** Reads a task for a request that has a signed URL. */
  readSignedTask(taskId: string): Promise<TaskView>;
  /** Returns a page of events after a UUID. `next` is where the next page begins, or null if there is none yet. */
  readEvents: Wired<typeof readEvents>;
  /** Returns why each of these is no longer accepted, or null if it is, in the given order. */
  refusedKeys(users: readonly KeyUser[]): Promise<readonly (ErrorCode | null)[]>;
  /** Returns which of these projects are suspended. */
  suspendedProjects(projectIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns fresh URLs for a task; none of them is valid longer than the signed URL of the request, if it has one. */
  links(task: Task, signedUntil?: Date): Promise<TaskLinks>;
  signer: UrlSigner;
  onRouteTime(route: string, method: string, status: number, seconds: number): void;
}
