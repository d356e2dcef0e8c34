-- The recorded login of a site, encrypted as the secrets of webhooks are, and since when it is stored. NULL = none.

-- SQLite:
ALTER TABLE sites ADD COLUMN login BLOB;
ALTER TABLE sites ADD COLUMN login_at INTEGER CHECK ((login IS NULL) = (login_at IS NULL));

-- PostgreSQL:
ALTER TABLE sites ADD COLUMN login bytea;
ALTER TABLE sites ADD COLUMN login_at bigint CHECK ((login IS NULL) = (login_at IS NULL));
