-- The jobs of engines that assign the ids themselves, and the attempt that each job belongs to. A job belongs to at most
-- one attempt; `attempts` is partitioned by day, so it cannot have a unique index that says so.
create table engine_jobs (
  endpoint_id text not null,
  operation jsonb not null,
  task_id uuid not null,
  attempt integer not null,
  named_at timestamptz not null,
  primary key (endpoint_id, operation)
);

insert into engine_jobs
  select attempts.endpoint_id, attempts.operation, attempts.task_id, attempts.attempt, attempts.began_at
  from leases join attempts on attempts.task_id = leases.task_id and attempts.attempt = leases.attempt
  where attempts.operation is not null
  on conflict do nothing;

-- Attempts whose job has no known id: few, and only on engines that assign the ids.
create index attempts_unnamed on attempts (endpoint_id) where operation is null;

-- The models file of each running process. A file reaches processes some seconds or minutes apart, so a model or an
-- endpoint that is missing in one file may stand in another. Losing the table costs nothing: it is filled within 20 s.
create unlogged table models_files (
  process_id uuid primary key,
  fingerprint text not null,
  models text[] not null,
  endpoints text[] not null,
  seen_at timestamptz not null
);
