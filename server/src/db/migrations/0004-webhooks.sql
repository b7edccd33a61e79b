-- Secrets are encrypted with a key derived from KINORA_SECRET_KEYS and bound to their row.
create table webhook_endpoints (
  id uuid primary key,
  project_id uuid not null references projects (id),
  livemode boolean not null,
  url text not null,
  description text not null,
  -- Empty: all.
  events text[] not null,
  secret bytea not null,
  -- Signs beside the new one until it expires.
  previous_secret bytea,
  previous_secret_expires_at timestamptz,
  created_at timestamptz not null,
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('gone', 'failing', 'by_caller')),
  -- Since when no try has succeeded; null after a success.
  failing_since timestamptz
);

create index webhook_endpoints_by_project on webhook_endpoints (project_id, livemode, id);

-- What signs the callbacks that tasks name themselves; made when first needed.
create table callback_secrets (
  project_id uuid not null references projects (id),
  livemode boolean not null,
  secret bytea not null,
  previous_secret bytea,
  previous_secret_expires_at timestamptz,
  created_at timestamptz not null,
  primary key (project_id, livemode)
);

alter table tasks
  add column callback_url text,
  -- Null: all.
  add column callback_events text[],
  -- Its receiver answered 410: nothing more is sent there.
  add column callbacks_ended_at timestamptz;

-- One row for each event and each place it goes to. task_id is null for a test event, endpoint_id for a task's callback.
create table webhook_deliveries (
  id uuid primary key,
  project_id uuid not null,
  livemode boolean not null,
  event_id uuid not null,
  event_type text not null,
  event_created_at timestamptz not null,
  task_id uuid,
  -- Of the task, when the event happened.
  attempt integer,
  endpoint_id uuid,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'dead')),
  dead_reason text,
  tries integer not null default 0,
  next_try_at timestamptz,
  -- From when on the reconciler looks whether a pending one still has its workflow.
  overdue_at timestamptz not null,
  created_at timestamptz not null,
  completed_at timestamptz
) partition by range (id);

create index webhook_deliveries_by_project on webhook_deliveries (project_id, livemode, id);
create index webhook_deliveries_by_task on webhook_deliveries (task_id, id) where task_id is not null;
create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, id) where endpoint_id is not null;
create index webhook_deliveries_overdue on webhook_deliveries (overdue_at) where status = 'pending';

create table webhook_tries (
  delivery_id uuid not null,
  try integer not null,
  started_at timestamptz not null,
  duration_milliseconds integer not null,
  -- Null where no answer came; then the reason says why.
  status integer,
  reason text,
  -- The first kilobyte of the answer.
  answer text,
  primary key (delivery_id, try)
) partition by range (delivery_id);

-- A message is about a task or about a delivery; endpoint_id is what deliveries are shared out by.
alter table outbox
  add column delivery_id uuid,
  add column endpoint_id uuid,
  alter column task_id drop not null,
  alter column pool drop not null,
  alter column weight drop not null,
  alter column enter drop not null,
  drop constraint outbox_kind_check,
  add constraint outbox_kind_check check (case kind
    when 'deliver' then delivery_id is not null
    else kind in ('start', 'cancel') and num_nulls(task_id, pool, weight, enter) = 0
  end);
create index outbox_by_delivery on outbox (delivery_id) where delivery_id is not null;
