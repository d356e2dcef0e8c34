CREATE TABLE export_jobs (
  job_id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  domain TEXT NOT NULL,
  request TEXT NOT NULL, -- JSON: the accepted export request
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed')),
  progress REAL NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
  page_count INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- The lease of the runner. Every claim increases the token, so a runner that lost its lease cannot write.
  lease_owner TEXT,
  lease_token INTEGER NOT NULL DEFAULT 0,
  lease_expires_at INTEGER,
  interruptions INTEGER NOT NULL DEFAULT 0,
  bundle_file TEXT,
  bundle_size_bytes INTEGER,
  bundle_sha256 TEXT,
  CHECK ((status = 'failed') = (error IS NOT NULL)),
  CHECK ((status = 'completed') = (bundle_file IS NOT NULL))
) STRICT;
CREATE INDEX export_jobs_open ON export_jobs (created_at) WHERE status IN ('queued', 'running');

CREATE TABLE idempotency_keys (
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  idempotency_key TEXT NOT NULL,
  request_sha256 TEXT NOT NULL,
  job_id TEXT NOT NULL REFERENCES export_jobs (job_id),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (organization_id, idempotency_key)
) STRICT, WITHOUT ROWID;
