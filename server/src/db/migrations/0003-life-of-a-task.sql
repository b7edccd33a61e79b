-- expires_at is set when a task ends, however it ends: then its files go, and are_files_gone says that they went.
alter table tasks
  add column are_files_gone boolean not null default false,
  add column deleted_at timestamptz;

create index tasks_by_project on tasks (project_id, livemode, id);
create index tasks_by_words on tasks using gin (to_tsvector('simple', prompt));
create index tasks_with_files on tasks (expires_at) where expires_at is not null and not are_files_gone;

create index events_by_project on events (project_id, livemode, id);
-- From the start of the first attempt to the end; null for a task that never began.
alter table usage add column rendering_seconds double precision;
create index usage_by_project on usage (project_id, livemode, completed_at);

-- Uploaded images. They live a day; a task that uses one keeps a copy.
create table files (
  id uuid primary key,
  project_id uuid not null references projects (id),
  livemode boolean not null,
  key_id uuid not null,
  object_key text not null,
  name text,
  content_type text not null,
  size_bytes integer not null,
  sha256 text not null,
  width integer not null,
  height integer not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

create index files_by_expiry on files (expires_at);
