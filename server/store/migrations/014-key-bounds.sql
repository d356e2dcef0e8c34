-- The projects that a key with the scope ingest may name, and the addresses and CIDR ranges from which a key may be used: lists
-- with spaces, as scopes. Empty = all.
ALTER TABLE api_keys ADD COLUMN project_ids TEXT NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN allowed_addresses TEXT NOT NULL DEFAULT '';
