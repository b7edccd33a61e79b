-- open_tasks has replaced them since 0011; only the version before that still read them. They cost a fifth of the log that
-- a task writes, and kept an admission from staying within its page. Readers wait until the commit.
drop index tasks_waiting, tasks_never_begun, tasks_admitted, tasks_admitted_by_pool;
