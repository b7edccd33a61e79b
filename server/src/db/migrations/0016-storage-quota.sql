-- Counts the pending deliveries of a project, before a test or a redelivery adds one.
create index webhook_deliveries_pending on webhook_deliveries (project_id, livemode) where status = 'pending';

-- Limits per mode: bytes of uploaded files and of files of tasks, and the number of uploaded files.
alter table projects
  add column storage_limit_bytes bigint not null default 100000000000 check (storage_limit_bytes >= 0),
  add column files_limit integer not null default 10000 check (files_limit >= 0);

-- What is in use. Creating and ending a task update this row anyway, so that counting costs no statement. A process of
-- the previous version does not count, so neither column is checked; a relay compares both with the rows once a day.
alter table project_slots
  add column stored_bytes bigint not null default 0,
  add column uploaded_files integer not null default 0;

-- Bytes of a task's image, video, thumbnail and spritesheet that are counted in project_slots until are_files_gone. A
-- task of before has 0 and is not counted: backfilling would rewrite every row, and its files expire within days.
alter table tasks add column stored_bytes bigint not null default 0;

update project_slots set stored_bytes = bytes, uploaded_files = uploads
from (select project_id, livemode, sum(size_bytes) as bytes, count(*) as uploads from files group by 1, 2) stored
where stored.project_id = project_slots.project_id and stored.livemode = project_slots.livemode;
