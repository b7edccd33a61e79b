-- Projects and their keys. Limits are settings of a project; what is in use stands in project_slots.
create table projects (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null,
  suspended_at timestamptz,
  running_limit integer not null default 2 check (running_limit >= 0),
  waiting_limit integer not null default 100 check (waiting_limit >= 0),
  creates_per_minute integer not null default 60 check (creates_per_minute > 0),
  reads_per_minute integer not null default 600 check (reads_per_minute > 0),
  weight real not null default 1 check (weight > 0)
);

create table api_keys (
  id uuid primary key,
  project_id uuid not null references projects (id),
  livemode boolean not null,
  name text not null,
  scopes text[] not null,
  sha256 bytea not null unique,
  prefix text not null,
  last_four text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz
);

-- One hot row per project and mode: admission, the creation limit (GCRA) and both counters under one lock.
-- cap is the running limit, or 0 while the project is suspended. Half-empty pages keep its updates within a page.
create table project_slots (
  project_id uuid not null references projects (id),
  livemode boolean not null,
  cap integer not null,
  running integer not null default 0 check (running >= 0),
  waiting integer not null default 0 check (waiting >= 0),
  create_allowed_at timestamptz not null default '-infinity',
  primary key (project_id, livemode)
) with (fillfactor = 50);

-- Partitioned by day on the UUIDv7: no foreign key points here and nothing but the id is unique, so that old days can be
-- dropped without touching anything else.
create table tasks (
  id uuid primary key,
  project_id uuid not null,
  livemode boolean not null,
  key_id uuid not null,
  type text not null check (type in ('text_to_video', 'image_to_video')),
  status text not null check (status in ('queued', 'in_progress', 'completed', 'failed', 'cancelled')),
  stage text not null check (stage in ('waiting', 'preparing', 'rendering', 'finishing')),
  version integer not null default 1,
  attempt integer not null default 1,
  failed_attempts integer not null default 0,
  refusals_in_a_row integer not null default 0,
  restarts integer not null default 0,
  priority smallint not null default 3,
  model text not null,
  pool text not null,
  prompt text not null,
  negative_prompt text,
  resolution text not null,
  aspect_ratio text not null,
  duration_seconds integer not null,
  seed bigint not null,
  image jsonb,
  warnings jsonb not null,
  metadata jsonb not null,
  video jsonb,
  error jsonb,
  engine_seconds double precision not null default 0,
  created_at timestamptz not null,
  admitted_at timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  expires_at timestamptz,
  checked_at timestamptz not null
) partition by range (id);

-- The head of a project's queue.
create index tasks_waiting on tasks (project_id, livemode, priority, id) where status = 'queued' and admitted_at is null;
-- What was never begun, oldest first.
create index tasks_never_begun on tasks (id) where status = 'queued' and started_at is null;
-- What the reconciler looks at: admitted and not final, oldest check first.
create index tasks_admitted on tasks (checked_at) where status in ('queued', 'in_progress') and admitted_at is not null;

create table attempts (
  task_id uuid not null,
  attempt integer not null,
  endpoint_id text not null,
  slot integer not null,
  fencing bigint not null,
  engine_job_id text not null,
  operation jsonb,
  takeovers integer not null default 0,
  began_at timestamptz not null,
  slot_freed_at timestamptz,
  ended_at timestamptz,
  outcome text,
  engine_seconds double precision,
  primary key (task_id, attempt)
) partition by range (task_id);

create table events (
  id uuid primary key,
  task_id uuid not null,
  project_id uuid not null,
  livemode boolean not null,
  type text not null,
  attempt integer not null,
  created_at timestamptz not null
) partition by range (id);

create table usage (
  task_id uuid primary key,
  project_id uuid not null,
  livemode boolean not null,
  key_id uuid not null,
  model text not null,
  status text not null,
  code text,
  engine_seconds double precision not null,
  video_seconds integer not null,
  billable boolean not null,
  waiting_seconds double precision not null,
  created_at timestamptz not null,
  completed_at timestamptz not null
) partition by range (task_id);

-- One row a slot of an endpoint. A lease is held while its task is in progress in that attempt, otherwise draining.
create table leases (
  endpoint_id text not null,
  slot integer not null,
  task_id uuid,
  attempt integer,
  fencing bigint,
  leased_at timestamptz,
  unknown_since timestamptz,
  primary key (endpoint_id, slot)
) with (fillfactor = 50);

create index leases_by_task on leases (task_id, attempt) where task_id is not null;

create sequence fencing_numbers;

-- What still has to be said to Temporal. Rows carry ids only and are deleted once it has been said.
create table outbox (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('start', 'cancel')),
  task_id uuid not null,
  project_id uuid not null,
  pool text not null,
  weight real not null,
  enter text not null check (enter in ('generate', 'follow')),
  tries integer not null default 0,
  created_at timestamptz not null,
  due_at timestamptz not null
);

create index outbox_due on outbox (due_at, id);
create index outbox_by_task on outbox (task_id);

-- Progress. Losing it loses percentages, nothing else.
create unlogged table live_entries (
  task_id uuid primary key,
  attempt integer not null,
  stage text not null,
  progress smallint not null,
  progress_source text not null,
  updated_at timestamptz not null
) with (fillfactor = 50);
