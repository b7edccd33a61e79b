-- Names this installation. The bucket holds the same id, so that a sweep never takes the objects of another database's
-- tasks for orphans. A backup contains the id, so a restored database still matches its bucket.
create table installation (
  is_only_row boolean primary key default true check (is_only_row),
  id uuid not null default gen_random_uuid()
);
insert into installation default values;
