-- When the last link to the bundle expires; NULL = no link was created. The job is kept until then.
ALTER TABLE export_jobs ADD COLUMN link_expires_at INTEGER;

-- A row that /readyz writes to check that writing works.
CREATE TABLE readiness (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  checked_at INTEGER NOT NULL -- milliseconds since 1970
) STRICT;
