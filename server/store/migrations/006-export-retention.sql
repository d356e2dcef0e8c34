-- When the last of the links that were given to the bundle expires; NULL = none was given. Until then the job stays.
ALTER TABLE export_jobs ADD COLUMN link_expires_at INTEGER;

-- A row to write: /readyz has to know whether that works.
CREATE TABLE readiness (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  checked_at INTEGER NOT NULL -- milliseconds since 1970
) STRICT;
