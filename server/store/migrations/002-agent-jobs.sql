CREATE TABLE agent_jobs (
  project_id TEXT NOT NULL REFERENCES projects (id),
  id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'completed', 'archived', 'failed')),
  source_repository TEXT NOT NULL,
  source_ref TEXT,
  model TEXT NOT NULL,
  pr_link TEXT,
  created_at INTEGER NOT NULL,
  archived_at INTEGER,
  PRIMARY KEY (project_id, id),
  CHECK ((status = 'archived') = (archived_at IS NOT NULL)),
  CHECK (status <> 'active' OR pr_link IS NULL)
) STRICT;
CREATE INDEX agent_jobs_age ON agent_jobs (status, created_at);
