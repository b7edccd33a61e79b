-- Who did what, when and from where: changes of keys, webhooks, secrets and projects, deletions, and operators' commands.
-- Ids are UUIDv7, so the primary key is also the index by time. Nothing refers to other tables: an event outlives what it
-- is about.
create table audit_events (
  id uuid primary key,
  created_at timestamptz not null,
  action text not null,
  -- The key of the request, or the operator's account and command; a refused key has neither.
  key_id uuid,
  operator text,
  command text,
  -- The public id of what was changed, such as key_… or whk_…, or the name of an engine endpoint.
  object_id text,
  project_id uuid,
  -- Null for what concerns both modes of a project.
  livemode boolean,
  address text,
  user_agent text,
  request_id text,
  detail jsonb not null default '{}'
);
create index audit_events_by_project on audit_events (project_id, id);

-- The log can only be appended to. Only events of more than 29 days ago can be deleted: the shortest retention is 30 days,
-- and clocks differ.
create function keep_audit_events() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.created_at < now() - interval '29 days' then
    return old;
  end if;
  raise exception 'audit events cannot be changed, nor deleted in their first 29 days';
end $$;
create trigger audit_events_are_kept before update or delete on audit_events
  for each row execute function keep_audit_events();
create trigger audit_events_are_not_truncated before truncate on audit_events
  for each statement execute function keep_audit_events();
