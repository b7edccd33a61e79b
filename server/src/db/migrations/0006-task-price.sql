-- What the task costs by the operator's price when it was accepted; null where the model has none, and in test mode.
alter table tasks add column price jsonb;
