-- What GET /v1/usage shows of the days that have ended, as it shows it: percentiles of parts cannot be combined, so each
-- kind of bucket and group has rows of its own. Hours have rows only on days on which the project ended many tasks; the
-- other days have fewer rows in `usage`. The relay computes all of them from `usage`; the end of a task computes nothing.
create table usage_sums (
  project_id uuid not null,
  livemode boolean not null,
  bucket text not null check (bucket in ('hour', 'day')),
  group_by text not null check (group_by in ('none', 'model', 'key', 'code')),
  start timestamptz not null,
  -- Empty without grouping, and for tasks without a failure code.
  "group" text not null,
  tasks integer not null,
  completed integer not null,
  failed integer not null,
  cancelled integer not null,
  video_seconds double precision not null,
  engine_seconds double precision not null,
  billable_video_seconds double precision not null,
  -- The percentiles 50, 90 and 99.
  waiting double precision[],
  rendering double precision[],
  primary key (project_id, livemode, bucket, group_by, start, "group")
);
create index usage_sums_by_start on usage_sums (start);

-- Every day before this one has its sums. It begins with the oldest day of `usage`, or today.
create table usage_summed (
  is_only_row boolean primary key default true check (is_only_row),
  until timestamptz not null
);
insert into usage_summed (until)
select date_trunc('day', coalesce(min(to_timestamp(('x' || left(replace(oldest::text, '-', ''), 12))::bit(48)::bigint
  / 1000.0)), now()), 'UTC')
from (select task_id as oldest from usage order by task_id limit 1) first;

-- The end of a task, with its usage row, is nearly always committed within seconds. One that a frozen process or a slow
-- clock has delayed may come after the sums of its day, which the relay then computes again. The other version of the
-- service and operators may insert it as well, so this is a trigger. Its condition is all that an ordinary end pays for.
create table late_usage (
  project_id uuid not null,
  livemode boolean not null,
  completed_at timestamptz not null
);

create function note_late_usage() returns trigger language plpgsql as $$
begin
  insert into late_usage (project_id, livemode, completed_at) values (new.project_id, new.livemode, new.completed_at);
  return null;
end $$;

create trigger usage_is_late after insert on usage for each row
  when (new.completed_at < now() - interval '30 minutes') execute function note_late_usage();

-- Rows are inserted in the order of completed_at, so a few bytes per megabyte of rows find those of a day.
create index usage_by_end on usage using brin (completed_at) with (pages_per_range = 32, autosummarize = on);
