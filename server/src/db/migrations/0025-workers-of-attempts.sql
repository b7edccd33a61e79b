-- works with: 0.1.0
-- The process that watches the attempt's job and fetches its output; null if the version before began it. A worker that is
-- gone is looked for here, not in the leases: a slot is free before the output is safe.
alter table attempts add column worker_id uuid;
