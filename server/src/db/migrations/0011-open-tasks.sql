-- Whether a start may repeat a workflow that has completed. Only the reconciler asks for it, for a row that is still open.
alter table outbox add column after_completion boolean not null default false;
