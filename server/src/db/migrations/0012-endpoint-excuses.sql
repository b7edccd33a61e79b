-- How many failures of tasks that fail everywhere may still be taken back from the endpoint's breaker; a success refills it.
alter table endpoint_states add column excuses_left integer not null default 0;
