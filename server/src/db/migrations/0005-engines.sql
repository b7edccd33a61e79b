-- What an engine that calls back has said of a job. Losing it costs at most an attempt: the job then counts as lost.
create unlogged table engine_reports (
  task_id uuid not null,
  attempt integer not null,
  status text not null check (status in ('running', 'succeeded', 'failed', 'cancelled')),
  progress real,
  code text,
  reason text,
  updated_at timestamptz not null,
  primary key (task_id, attempt)
) with (fillfactor = 50);

create index engine_reports_by_age on engine_reports (updated_at);

-- An endpoint as its owner saw it last, what operators decided about it, and how its last jobs ended.
create table endpoint_states (
  endpoint_id text primary key,
  pool text not null,
  slots integer not null default 0,
  is_open boolean not null default false,
  reason text,
  engine text,
  version text,
  models text[],
  latency_milliseconds integer,
  seen_at timestamptz,
  -- Set by `kinora-server engines drain`: running jobs end, new ones are not begun.
  drained_at timestamptz,
  -- Ends of jobs that say something about the endpoint and not about the job; a success sets it back to 0.
  failures_in_a_row integer not null default 0,
  last_failure text,
  last_failure_at timestamptz,
  -- Closed by its breaker until then; the first job afterwards is on probation.
  closed_until timestamptz
) with (fillfactor = 50);

-- How long models take, from the newest completed tasks: written by the relay, read by everybody.
create table model_speeds (
  model text not null,
  resolution text not null,
  duration_seconds integer not null,
  samples integer not null,
  -- From the begin of the attempt until the engine was done.
  render_p50_seconds double precision not null,
  render_p90_seconds double precision not null,
  -- From the begin of the attempt until the video was there.
  total_p50_seconds double precision not null,
  total_p90_seconds double precision not null,
  measured_at timestamptz not null,
  primary key (model, resolution, duration_seconds)
);

-- How many tasks of a project wait for a pool and are not yet admitted. Kept with project_slots.waiting, under its lock.
create table pool_waiting (
  project_id uuid not null references projects (id),
  livemode boolean not null,
  pool text not null,
  waiting integer not null check (waiting >= 0),
  primary key (project_id, livemode, pool)
) with (fillfactor = 50);

insert into pool_waiting
  select project_id, livemode, pool, count(*) from tasks
  where status = 'queued' and admitted_at is null group by 1, 2, 3;

-- Who stands where in a pool: one look a process every two seconds. It holds what was admitted, never the backlog.
create index tasks_admitted_by_pool on tasks (pool, project_id, livemode) include (status, attempt)
  where status in ('queued', 'in_progress') and admitted_at is not null;
