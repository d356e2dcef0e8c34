-- When exports of a site start by themselves, and what came of the last start that was due. How many pages each export changed.
-- Usable from 019: older programs do not read these, and start no exports by themselves. A deleted site takes its row along.

-- SQLite:
CREATE TABLE site_schedules (
  domain TEXT PRIMARY KEY REFERENCES sites (domain) ON DELETE CASCADE,
  rhythm TEXT NOT NULL CHECK (rhythm <> ''), -- such as "every 6h", "daily 03:00" and "weekly mon@03:00"
  only_if_changed INTEGER NOT NULL CHECK (only_if_changed IN (0, 1)),
  next_at INTEGER NOT NULL,
  fingerprint TEXT, -- of the site when its last export started; NULL = unknown
  job_id TEXT, -- of the export that was started last, which may be deleted
  started_at INTEGER,
  outcome TEXT CHECK (outcome IN ('started', 'unchanged', 'active', 'refused')),
  outcome_at INTEGER,
  problem TEXT,
  CHECK ((outcome IS NULL) = (outcome_at IS NULL)),
  CHECK ((job_id IS NULL) = (started_at IS NULL))
) STRICT;
CREATE INDEX site_schedules_due ON site_schedules (next_at);

ALTER TABLE export_jobs ADD COLUMN changes TEXT; -- JSON

-- PostgreSQL:
CREATE TABLE site_schedules (
  domain text COLLATE "C" PRIMARY KEY REFERENCES sites (domain) ON DELETE CASCADE,
  rhythm text NOT NULL CHECK (rhythm <> ''),
  only_if_changed integer NOT NULL CHECK (only_if_changed IN (0, 1)),
  next_at bigint NOT NULL,
  fingerprint text,
  job_id text COLLATE "C",
  started_at bigint,
  outcome text CHECK (outcome IN ('started', 'unchanged', 'active', 'refused')),
  outcome_at bigint,
  problem text,
  CHECK ((outcome IS NULL) = (outcome_at IS NULL)),
  CHECK ((job_id IS NULL) = (started_at IS NULL))
);
CREATE INDEX site_schedules_due ON site_schedules (next_at);

ALTER TABLE export_jobs ADD COLUMN changes text;
