-- Since `open_tasks` exists, no statement uses these indexes. Without them, admitting a task and changing its stage
-- leave all indexed columns as they are, so that these updates stay within their page if it has room.
drop index tasks_waiting, tasks_never_begun, tasks_admitted, tasks_admitted_by_pool;

do $$
declare
  partition regclass;
begin
  for partition in select inhrelid::regclass from pg_inherits where inhparent = 'tasks'::regclass loop
    execute format('alter table %s set (fillfactor = 80)', partition);
  end loop;
end $$;

-- Admits tasks from the head of a project's queue while there is room, counts them as running and writes the messages
-- that start their workflows. It locks the project's row first, and each of its statements sees what was committed
-- before it. It is a function, because the row stays locked for all its statements, and because each task is found by
-- its id, in the partition of its day. Tasks that others have locked are skipped: a task that is being cancelled waits
-- for the project's row. Pools that have had no accepting endpoint since `unserved_before`, according to a note that is
-- not older than `noted_after`, are passed over.
create function admit_tasks(
  of_project uuid, of_mode boolean, admission_time timestamptz, due timestamptz,
  unserved_before timestamptz, noted_after timestamptz
) returns table (outbox_id bigint, admitted_task uuid, admitted_pool text, project_weight real, was_given_back boolean)
language plpgsql as $$
declare
  -- More tasks are considered than there is room for, because others may have locked some of them.
  spare_tasks constant integer := 8;
  room integer;
  head record;
  pools text[] := '{}';
begin
  select cap - running, weight into room, project_weight
  from project_slots join projects on projects.id = project_id
  where project_id = of_project and livemode = of_mode for update of project_slots;
  if room is null or room <= 0 then return; end if;

  -- The queues of the pools are merged, because each is in order by itself; `pool_waiting` has a row for each of them.
  for head in
    select first.id, first.pool, first.reason
    from pool_waiting cross join lateral (
      select id, open_tasks.pool, priority, reason from open_tasks
      where open_tasks.project_id = of_project and open_tasks.livemode = of_mode
        and open_tasks.pool = pool_waiting.pool and status = 'queued' and admitted_at is null
      order by priority, id limit room + spare_tasks
    ) first
    where project_id = of_project and livemode = of_mode and pool_waiting.pool not in (
      select pool from unserved_pools where since <= unserved_before and noted_at >= noted_after
    )
    order by first.priority, first.id limit room + spare_tasks
  loop
    perform 1 from tasks where id = head.id and status = 'queued' and admitted_at is null for update skip locked;
    continue when not found;
    update tasks set admitted_at = admission_time, checked_at = admission_time where id = head.id;
    admitted_task := head.id;
    admitted_pool := head.pool;
    -- A task that was given back may have had a workflow that ended because of it.
    was_given_back := head.reason is not null;
    insert into outbox (kind, task_id, project_id, pool, weight, enter, after_completion, created_at, due_at)
    values ('start', head.id, of_project, head.pool, project_weight, 'generate', was_given_back, admission_time, due)
    returning id into outbox_id;
    return next;
    pools := pools || head.pool;
    exit when cardinality(pools) = room;
  end loop;
  if pools = '{}' then return; end if;

  update project_slots set running = running + cardinality(pools), waiting = waiting - cardinality(pools)
  where project_id = of_project and livemode = of_mode;
  -- A pool's count never falls below zero: it only informs, and must not keep a task from running.
  update pool_waiting set waiting = greatest(0, waiting - tasks)
  from (select pool, count(*)::integer as tasks from unnest(pools) as admitted (pool) group by pool) admitted
  where project_id = of_project and livemode = of_mode and pool_waiting.pool = admitted.pool;
end $$;

-- What all projects together wait for, by pool. The API processes share it, so that it is computed once for all of
-- them: one claims it and computes it when it is due. Nothing is lost with it.
create unlogged table queue_snapshot (
  is_only boolean primary key default true check (is_only),
  claimed_at timestamptz not null,
  made_at timestamptz not null,
  -- When the next one is due.
  next_at timestamptz not null,
  pools json not null
) with (
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 1000
);

-- The projects that the snapshot treats differently: nearly all have the weight 1 and may run tasks.
create index projects_weighted on projects (id) include (weight) where weight <> 1;
create index project_slots_stopped on project_slots (project_id, livemode) where cap = 0;
