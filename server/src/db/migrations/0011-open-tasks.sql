-- Whether a start may repeat a workflow that has completed. Only the reconciler asks for it, for a row that is still open.
alter table outbox add column after_completion boolean not null default false;

-- One row per task that has not ended: all that admission, queue places and the reconciler read. It is small and has no
-- partitions, so these statements cost the same however many tasks have ended. A trigger keeps it equal to `tasks`, in
-- the same transaction and whoever writes: the previous version may still run, and operators repair rows by SQL.
create table open_tasks (
  id uuid primary key,
  project_id uuid not null,
  livemode boolean not null,
  pool text not null,
  priority smallint not null,
  status text not null,
  attempt integer not null,
  restarts integer not null,
  admitted_at timestamptz,
  started_at timestamptz,
  -- When the reconciler last found the task's workflow in order. It is newer than the column of the same name in tasks.
  checked_at timestamptz not null,
  -- Why a task that was admitted waits for admission again; null for every other task.
  reason text
) with (
  -- Rows come, change twice and go within minutes. Half-empty pages keep a begin or a check within its page, and vacuum
  -- by a number of dead rows, not by a share of a table that may be empty or hold a large backlog.
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0.05, autovacuum_analyze_threshold = 500
);

-- The queue of a project, pool by pool.
create index open_tasks_waiting on open_tasks (project_id, livemode, pool, priority, id) where admitted_at is null;
create index open_tasks_admitted on open_tasks (project_id, livemode, pool) where admitted_at is not null;

create function keep_open_task() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or new.status not in ('queued', 'in_progress') then
    delete from open_tasks where id = old.id;
    return null;
  end if;
  insert into open_tasks
    (id, project_id, livemode, pool, priority, status, attempt, restarts, admitted_at, started_at, checked_at)
  values (new.id, new.project_id, new.livemode, new.pool, new.priority, new.status, new.attempt, new.restarts,
    new.admitted_at, new.started_at, new.checked_at)
  on conflict (id) do update set
    pool = excluded.pool, priority = excluded.priority, status = excluded.status, attempt = excluded.attempt,
    restarts = excluded.restarts, admitted_at = excluded.admitted_at, started_at = excluded.started_at,
    checked_at = greatest(open_tasks.checked_at, excluded.checked_at),
    reason = case when excluded.admitted_at is null then open_tasks.reason end;
  return null;
end $$;

create trigger open_task_inserted after insert on tasks for each row
  when (new.status in ('queued', 'in_progress')) execute function keep_open_task();
create trigger open_task_changed after update on tasks for each row
  when ((old.status, old.pool, old.priority, old.attempt, old.restarts, old.admitted_at, old.started_at) is distinct from
    (new.status, new.pool, new.priority, new.attempt, new.restarts, new.admitted_at, new.started_at))
  execute function keep_open_task();
create trigger open_task_deleted after delete on tasks for each row
  when (old.status in ('queued', 'in_progress')) execute function keep_open_task();

-- No task can be accepted or end before this commits, because the triggers have locked the table against writers.
insert into open_tasks
  (id, project_id, livemode, pool, priority, status, attempt, restarts, admitted_at, started_at, checked_at)
select id, project_id, livemode, pool, priority, status, attempt, restarts, admitted_at, started_at, checked_at from (
  select * from tasks where status = 'queued' and admitted_at is null
  union all
  select * from tasks where status in ('queued', 'in_progress') and admitted_at is not null
) open;
analyze open_tasks;

-- Pools that tasks wait for and that have no endpoint which accepts jobs. One relay keeps the rows, every 2 s.
create table unserved_pools (
  pool text primary key,
  since timestamptz not null,
  noted_at timestamptz not null
) with (fillfactor = 50);
