-- What a request says of its image, apart from the rest: the same image may have been uploaded again, under another id.
alter table idempotency_keys add column image_sha256 bytea;
