import type { ColumnType, Generated, JSONColumnType } from 'kysely';
import type { AuditAction, AuditDetail } from '../../domain/audit-event.ts';
import type { EventType } from '../../domain/event.ts';
import type { AspectRatio, GenerationType, Resolution, Warning } from '../../domain/generation-request.ts';
import type { ProjectRole } from '../../domain/person.ts';
import type { Amount } from '../../domain/price.ts';
import type { TimerRun } from '../../domain/process-signs.ts';
import type { TaskError, TaskImage, TaskStage, TaskStatus, TaskVideo } from '../../domain/task.ts';

/** pg returns bigint columns as text, so that nothing is rounded silently. */
type BigInteger = ColumnType<string, string | number, string | number>;
type GeneratedBigInteger = ColumnType<string, string | number | undefined, string | number>;
type Json<T> = ColumnType<T, string, string>;
type NullableJson<T> = ColumnType<T | null, string | null, string | null>;

interface InstallationRow {
  is_only_row: Generated<boolean>;
  id: Generated<string>;
}

export interface ProjectRow {
  id: string;
  name: string;
  created_at: Date;
  suspended_at: Date | null;
  running_limit: Generated<number>;
  waiting_limit: Generated<number>;
  creates_per_minute: Generated<number>;
  reads_per_minute: Generated<number>;
  storage_limit_bytes: GeneratedBigInteger;
  files_limit: Generated<number>;
  weight: Generated<number>;
}

export interface ApiKeyRow {
  id: string;
  project_id: string;
  livemode: boolean;
  name: string;
  scopes: string[];
  sha256: Buffer;
  prefix: string;
  last_four: string;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  overlap_ends_at: Date | null;
  created_by_key_id: string | null;
  person_id: Generated<string | null>;
}

export interface PersonRow {
  id: string;
  email: string;
  name: string;
  password_hash: string | null;
  is_operator: Generated<boolean>;
  created_at: Date;
  last_signed_in_at: Date | null;
  disabled_at: Date | null;
  invited_by_project_id: string | null;
}

interface PersonIdentityRow {
  issuer: string;
  subject: string;
  person_id: string;
}

interface ProjectMemberRow {
  project_id: string;
  person_id: string;
  role: ProjectRole;
  is_from_groups: Generated<boolean>;
  created_at: Date;
}

export interface ConsoleSessionRow {
  id: string;
  person_id: string;
  sha256: Buffer;
  method: string;
  created_at: Date;
  signed_in_at: Date;
  last_used_at: Date;
  expires_at: Date;
  ended_at: Date | null;
  address: string | null;
  user_agent: string | null;
}

interface SignInTokenRow {
  sha256: Buffer;
  person_id: string | null;
  created_at: Date;
  expires_at: Date;
}

export interface IdempotencyKeyRow {
  project_id: string;
  livemode: boolean;
  route: string;
  key: string;
  request_sha256: Buffer;
  image_sha256: Buffer | null;
  owner: string | null;
  reserved_until: Date | null;
  task_id: string | null;
  answer: string | null;
  created_at: Date;
}

interface ProjectSlotsRow {
  project_id: string;
  livemode: boolean;
  cap: number;
  running: Generated<number>;
  waiting: Generated<number>;
  create_allowed_at: Generated<Date>;
  stored_bytes: GeneratedBigInteger;
  uploaded_files: Generated<number>;
}

export interface TaskRow {
  id: string;
  project_id: string;
  livemode: boolean;
  key_id: string;
  type: GenerationType;
  status: TaskStatus;
  stage: TaskStage;
  version: Generated<number>;
  attempt: Generated<number>;
  failed_attempts: Generated<number>;
  refusals_in_a_row: Generated<number>;
  restarts: Generated<number>;
  priority: Generated<number>;
  model: string;
  pool: string;
  prompt: string;
  negative_prompt: string | null;
  resolution: Resolution;
  aspect_ratio: AspectRatio;
  duration_seconds: number;
  seed: BigInteger;
  image: NullableJson<TaskImage>;
  warnings: Json<readonly Warning[]>;
  metadata: JSONColumnType<Record<string, string>>;
  video: NullableJson<TaskVideo>;
  error: NullableJson<TaskError>;
  engine_seconds: Generated<number>;
  created_at: Date;
  admitted_at: Date | null;
  started_at: Date | null;
  completed_at: Date | null;
  expires_at: Date | null;
  checked_at: Date;
  are_files_gone: Generated<boolean>;
  stored_bytes: GeneratedBigInteger;
  deleted_at: Date | null;
  callback_url: string | null;
  callback_events: EventType[] | null;
  callbacks_ended_at: Date | null;
  price: NullableJson<Amount>;
}

/** Why a task that was admitted waits for admission again. */
export type OpenTaskReason = 'pool_unserved';

interface OpenTaskRow {
  id: string;
  project_id: string;
  livemode: boolean;
  pool: string;
  priority: number;
  status: 'queued' | 'in_progress';
  attempt: number;
  restarts: number;
  admitted_at: Date | null;
  started_at: Date | null;
  checked_at: Date;
  reason: OpenTaskReason | null;
  ended_run: string | null;
}

export interface AttemptRow {
  task_id: string;
  attempt: number;
  endpoint_id: string;
  slot: number;
  fencing: BigInteger;
  engine_job_id: string;
  operation: NullableJson<Record<string, string | number>>;
  takeovers: Generated<number>;
  began_at: Date;
  slot_freed_at: Date | null;
  ended_at: Date | null;
  outcome: string | null;
  engine_seconds: number | null;
  worker_id: string | null;
}

export interface EventRow {
  id: string;
  task_id: string;
  project_id: string;
  livemode: boolean;
  type: EventType;
  attempt: number;
  created_at: Date;
}

export interface UsageRow {
  task_id: string;
  project_id: string;
  livemode: boolean;
  key_id: string;
  model: string;
  status: TaskStatus;
  code: string | null;
  engine_seconds: number;
  video_seconds: number;
  billable: boolean;
  waiting_seconds: number;
  rendering_seconds: number | null;
  created_at: Date;
  completed_at: Date;
}

interface LeaseRow {
  endpoint_id: string;
  slot: number;
  task_id: string | null;
  attempt: number | null;
  fencing: ColumnType<string | null, string | number | null, string | number | null>;
  leased_at: Date | null;
  unknown_since: Date | null;
  freed_at: Date | null;
}

export interface OutboxRow {
  id: Generated<string>;
  kind: 'start' | 'cancel' | 'deliver';
  task_id: string | null;
  delivery_id: string | null;
  project_id: string;
  pool: string | null;
  weight: number | null;
  enter: 'generate' | 'follow' | null;
  after_completion: Generated<boolean>;
  tries: Generated<number>;
  created_at: Date;
  due_at: Date;
}

interface LiveEntryRow {
  task_id: string;
  attempt: number;
  stage: TaskStage;
  progress: number;
  progress_source: 'engine' | 'estimated' | 'none';
  updated_at: Date;
}

export interface FileRow {
  id: string;
  project_id: string;
  livemode: boolean;
  key_id: string;
  object_key: string;
  name: string | null;
  content_type: string;
  size_bytes: number;
  sha256: string;
  width: number;
  height: number;
  created_at: Date;
  expires_at: Date;
}

export interface WebhookEndpointRow {
  id: string;
  project_id: string;
  livemode: boolean;
  url: string;
  description: string;
  events: EventType[];
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_expires_at: Date | null;
  created_at: Date;
  disabled_at: Date | null;
  disabled_reason: 'gone' | 'failing' | 'by_caller' | null;
  failing_since: Date | null;
}

interface CallbackSecretRow {
  project_id: string;
  livemode: boolean;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_expires_at: Date | null;
  created_at: Date;
}

export interface WebhookDeliveryRow {
  id: string;
  project_id: string;
  livemode: boolean;
  event_id: string;
  event_type: string;
  event_created_at: Date;
  task_id: string | null;
  attempt: number | null;
  endpoint_id: string | null;
  status: Generated<'pending' | 'delivered' | 'dead'>;
  dead_reason: string | null;
  tries: Generated<number>;
  next_try_at: Date | null;
  overdue_at: Date;
  created_at: Date;
  completed_at: Date | null;
}

interface WebhookTryRow {
  delivery_id: string;
  try: number;
  started_at: Date;
  duration_milliseconds: number;
  status: number | null;
  reason: string | null;
  answer: string | null;
}

interface EngineJobRow {
  endpoint_id: string;
  operation: Json<Record<string, string | number>>;
  task_id: string;
  attempt: number;
  named_at: Date;
}

export interface ProcessRow {
  id: string;
  roles: string[];
  version: string;
  host: string;
  started_at: Generated<Date>;
  seen_at: Date;
  ahead_milliseconds: number | null;
  owned_endpoints: number;
  timers: Json<readonly TimerRun[]>;
  fingerprint: string;
  models: string[];
  endpoints: string[];
}

interface EngineReportRow {
  task_id: string;
  attempt: number;
  status: 'running' | 'succeeded' | 'failed' | 'cancelled';
  progress: number | null;
  code: string | null;
  reason: string | null;
  updated_at: Date;
}

export interface EndpointStateRow {
  endpoint_id: string;
  pool: string;
  slots: Generated<number>;
  is_open: Generated<boolean>;
  reason: string | null;
  engine: string | null;
  version: string | null;
  models: string[] | null;
  latency_milliseconds: number | null;
  seen_at: Date | null;
  drained_at: Date | null;
  failures_in_a_row: Generated<number>;
  last_failure: string | null;
  last_failure_at: Date | null;
  closed_until: Date | null;
  excuses_left: Generated<number>;
  status_since: Date | null;
}

interface ModelSpeedRow {
  model: string;
  resolution: Resolution;
  duration_seconds: number;
  samples: number;
  render_p50_seconds: number;
  render_p90_seconds: number;
  total_p50_seconds: number;
  total_p90_seconds: number;
  measured_at: Date;
}

interface PoolWaitingRow {
  project_id: string;
  livemode: boolean;
  pool: string;
  waiting: number;
}

interface UnservedPoolRow {
  pool: string;
  since: Date;
  noted_at: Date;
}

export interface AuditEventRow {
  id: string;
  created_at: Date;
  action: AuditAction;
  key_id: string | null;
  operator: string | null;
  command: string | null;
  object_id: string | null;
  project_id: string | null;
  livemode: boolean | null;
  address: string | null;
  user_agent: string | null;
  request_id: string | null;
  detail: Json<AuditDetail>;
  person_id: Generated<string | null>;
}

export interface Schema {
  audit_events: AuditEventRow;
  installation: InstallationRow;
  engine_jobs: EngineJobRow;
  engine_reports: EngineReportRow;
  endpoint_states: EndpointStateRow;
  processes: ProcessRow;
  model_speeds: ModelSpeedRow;
  pool_waiting: PoolWaitingRow;
  unserved_pools: UnservedPoolRow;
  projects: ProjectRow;
  api_keys: ApiKeyRow;
  people: PersonRow;
  person_identities: PersonIdentityRow;
  project_members: ProjectMemberRow;
  console_sessions: ConsoleSessionRow;
  sign_in_tokens: SignInTokenRow;
  idempotency_keys: IdempotencyKeyRow;
  project_slots: ProjectSlotsRow;
  tasks: TaskRow;
  open_tasks: OpenTaskRow;
  attempts: AttemptRow;
  events: EventRow;
  usage: UsageRow;
  leases: LeaseRow;
  outbox: OutboxRow;
  live_entries: LiveEntryRow;
  files: FileRow;
  webhook_endpoints: WebhookEndpointRow;
  callback_secrets: CallbackSecretRow;
  webhook_deliveries: WebhookDeliveryRow;
  webhook_tries: WebhookTryRow;
}
