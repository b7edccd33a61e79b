-- When a key was last let in, to the minute.
alter table api_keys add column last_used_at timestamptz;
-- When a key that was rotated ends; apart from expires_at, which its successors inherit.
alter table api_keys add column overlap_ends_at timestamptz;
create index api_keys_by_project on api_keys (project_id, livemode, id);

-- One row an Idempotency-Key of a project, mode and route. While only reserved it has an owner and no task.
create table idempotency_keys (
  project_id uuid not null,
  livemode boolean not null,
  route text not null,
  key text not null,
  -- Of the parsed fields and the digest of an uploaded file.
  request_sha256 bytea not null,
  -- Who may turn the reservation into a task until it lapses; null once there is a task.
  owner uuid,
  reserved_until timestamptz,
  task_id uuid,
  -- The creation answer as it was sent, without signed URLs; null once its task was deleted.
  answer text,
  created_at timestamptz not null,
  primary key (project_id, livemode, route, key)
);

create index idempotency_keys_by_age on idempotency_keys (created_at);
create index idempotency_keys_by_task on idempotency_keys (task_id) where task_id is not null;
