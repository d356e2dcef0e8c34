-- The private key that signs the bundles of a site, encrypted with a key that is not in the database, and the name of its public key,
-- see SigningKey. NULL = they are not signed.

-- SQLite:
ALTER TABLE sites ADD COLUMN signing_key BLOB;
ALTER TABLE sites ADD COLUMN signing_key_id TEXT CHECK ((signing_key_id IS NULL) = (signing_key IS NULL));

-- PostgreSQL:
ALTER TABLE sites ADD COLUMN signing_key bytea;
ALTER TABLE sites ADD COLUMN signing_key_id text COLLATE "C" CHECK ((signing_key_id IS NULL) = (signing_key IS NULL));
