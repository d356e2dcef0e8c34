-- The cache of one site, see server/store/site-cache/. Never migrated: a cache of another version is replaced with an empty
-- one.
CREATE TABLE answers (
  asked TEXT NOT NULL,
  accept TEXT NOT NULL,
  status INTEGER NOT NULL,
  url TEXT NOT NULL, -- after redirects
  redirected INTEGER NOT NULL CHECK (redirected IN (0, 1)),
  content_type TEXT NOT NULL,
  headers TEXT NOT NULL, -- JSON
  etag TEXT,
  last_modified TEXT,
  sha256 TEXT, -- NULL = the body was not read
  size_bytes INTEGER NOT NULL,
  run TEXT NOT NULL,
  PRIMARY KEY (asked, accept)
) STRICT, WITHOUT ROWID;

CREATE TABLE views (
  key TEXT PRIMARY KEY,
  given TEXT NOT NULL, -- JSON: requests with the digests of their answers
  sha256 TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  run TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE finished (
  number INTEGER PRIMARY KEY, -- the newest has the highest number
  key TEXT NOT NULL UNIQUE,
  run TEXT NOT NULL,
  page_count INTEGER NOT NULL,
  archive_sha256 TEXT NOT NULL,
  archive_size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL, -- of the report and the list of answers, as JSON
  size_bytes INTEGER NOT NULL
) STRICT;
