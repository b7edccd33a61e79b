-- The key that created this one, by a create or a rotation; null if an operator did. A thief who has the text of the creator
-- may have the text of this key too, so operators can revoke both together.
alter table api_keys add column created_by_key_id uuid;
create index api_keys_by_creator on api_keys (created_by_key_id) where created_by_key_id is not null;
