-- Building the index takes a while if there are many tasks with metadata.
set local statement_timeout = 0;

-- The pairs of a task's metadata, as numbers that differ from project to project and from mode to mode, like those of
-- list_terms. It calls only functions of Postgres: indexes are built without our schema in the search path when a dump is
-- restored, and always since Postgres 17.
create function metadata_terms(project_id uuid, livemode boolean, metadata jsonb) returns bigint[]
  language plpgsql immutable parallel safe cost 10000 as $$
begin
  return array(select hashtextextended(key || '=' || value, uuid_hash_extended(project_id, livemode::integer))
    from jsonb_each_text(metadata));
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
