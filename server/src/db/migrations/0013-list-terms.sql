-- Building the index takes a while if there are many tasks.
set local statement_timeout = 0;

-- What a list can be filtered by, as numbers that differ from project to project and from mode to mode. An index of them
-- keeps the rows of one project apart from those of all others, so the time that a search takes says nothing about the
-- words of another project. The cost keeps the planner from computing the terms of each row instead of using the index.
create function list_terms(project_id uuid, livemode boolean, terms text[]) returns bigint[]
  language plpgsql immutable parallel safe cost 10000 as $$
declare
  seed constant bigint := uuid_hash_extended(project_id, livemode::integer);
begin
  return array(select hashtextextended(term, seed) from unnest(terms) term where term is not null);
end $$;

do $$
declare
  -- New entries collect in a list of at most 1 MB, which every search reads, until they are merged into the index. The
  -- status of an open task is left out: open_tasks has it, and it changes with every step.
  definition constant text := $index$
    using gin (list_terms(project_id, livemode,
      array['type=' || type, 'model=' || model, 'resolution=' || resolution, 'aspect_ratio=' || aspect_ratio,
        'key=' || key_id::text, case when status not in ('queued', 'in_progress') then 'status=' || status end]
      || tsvector_to_array(to_tsvector('simple', prompt)))) with (gin_pending_list_limit = 1024) $index$;
  day regclass;
begin
  -- The oldest day first: a task can be created until the index of its own day is built.
  for day in select inhrelid from pg_inherits join pg_class on oid = inhrelid
    where inhparent = 'tasks'::regclass order by relname
  loop
    execute format('create index on %s %s', day, definition);
  end loop;
  -- This takes the indexes of the days for its parts. Days that are added later get theirs from it.
  execute 'create index tasks_by_terms on tasks ' || definition;
end $$;

-- Last, because it makes readers wait until the commit.
drop index tasks_by_words;
