-- Finds the deletion of one file or webhook endpoint, whose rows are gone, so that a repeated DELETE can succeed.
create index audit_events_of_deletions on audit_events (object_id)
  where action in ('file.deleted', 'webhook_endpoint.deleted');
