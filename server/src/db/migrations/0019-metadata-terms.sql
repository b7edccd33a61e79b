-- Building the index takes a while if there are many tasks with metadata.
set local statement_timeout = 0;

-- The pairs of a task's metadata, as numbers that differ from project to project and from mode to mode, like list_terms.
create function metadata_terms(project_id uuid, livemode boolean, metadata jsonb) returns bigint[]
  language plpgsql immutable parallel safe cost 10000 as $$
begin
  return list_terms(project_id, livemode, array(select key || '=' || value from jsonb_each_text(metadata)));
end $$;

do $$
declare
  -- Only tasks with metadata: for the others the index costs nothing.
  definition constant text := $index$
    using gin (metadata_terms(project_id, livemode, metadata)) with (gin_pending_list_limit = 1024)
    where metadata <> '{}' $index$;
  day regclass;
begin
  -- The oldest day first: a task can be created until the index of its own day is built.
  for day in select inhrelid from pg_inherits join pg_class on oid = inhrelid
    where inhparent = 'tasks'::regclass order by relname
  loop
    execute format('create index on %s %s', day, definition);
  end loop;
  -- This takes the indexes of the days for its parts. Days that are added later get theirs from it.
  execute 'create index tasks_by_metadata on tasks ' || definition;
end $$;
