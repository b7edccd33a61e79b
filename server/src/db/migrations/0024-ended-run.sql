-- works with: 0.1.0
-- The last run of the task's workflow that chose to end, because the task was not admitted. It may still be open.
alter table open_tasks add column ended_run text;
