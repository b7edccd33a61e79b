-- What each process of the service says of itself every 5 s, instead of its models file alone. One that has been silent
-- for 15 s is frozen, cut off or dead. All times are of Postgres's clock.
create unlogged table processes (
  id uuid primary key,
  roles text[] not null,
  version text not null,
  host text not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null,
  -- How far its own clock is ahead of Postgres's.
  ahead_milliseconds integer,
  -- How many endpoints it owns: only workers do.
  owned_endpoints integer not null,
  -- The timers of a relay that holds the lock: name, interval in seconds, and when each ended well last.
  timers jsonb not null,
  -- Its models file; the fingerprint differs if the files differ.
  fingerprint text not null,
  models text[] not null,
  endpoints text[] not null
) with (fillfactor = 50);

drop table models_files;
