-- The repositories that agents work on, and the runs of agents with their events.
-- Usable from 019: older programs do not read these tables, and what they delete takes its rows along.

-- SQLite:
CREATE TABLE agent_sources (
  project_id TEXT PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  page TEXT NOT NULL, -- where people see the repository
  branch TEXT NOT NULL,
  folders TEXT NOT NULL, -- one on each line; '' = the whole repository
  forge TEXT NOT NULL CHECK (forge IN ('branch', 'agit', 'gitlab', 'github')),
  is_draft INTEGER NOT NULL CHECK (is_draft IN (0, 1)),
  credential BLOB -- encrypted with a key that is not in the database; NULL = none
) STRICT;

CREATE TABLE agent_runs (
  project_id TEXT NOT NULL,
  job_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'ended')),
  prompt TEXT NOT NULL,
  turn INTEGER NOT NULL DEFAULT 1,
  branch TEXT NOT NULL,
  folder TEXT,
  is_draft INTEGER NOT NULL CHECK (is_draft IN (0, 1)),
  change_branch TEXT,
  commit_id TEXT,
  pr_link TEXT, -- of an earlier turn, while the job is active again
  run_end TEXT,
  explanation TEXT,
  files INTEGER NOT NULL DEFAULT 0,
  added INTEGER NOT NULL DEFAULT 0,
  removed INTEGER NOT NULL DEFAULT 0,
  change TEXT, -- JSON; NULL = nothing changed
  usage TEXT NOT NULL DEFAULT '{"modelCalls":0,"inputTokens":null,"outputTokens":null,"cost":null}', -- JSON
  events INTEGER NOT NULL DEFAULT 0,
  is_cancelling INTEGER NOT NULL DEFAULT 0 CHECK (is_cancelling IN (0, 1)),
  interruptions INTEGER NOT NULL DEFAULT 0,
  queued_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  lease_owner TEXT,
  lease_token INTEGER NOT NULL DEFAULT 0,
  lease_expires_at INTEGER,
  PRIMARY KEY (project_id, job_id),
  FOREIGN KEY (project_id, job_id) REFERENCES agent_jobs (project_id, id) ON DELETE CASCADE,
  CHECK ((state = 'ended') = (run_end IS NOT NULL)),
  CHECK ((run_end IS NULL) = (explanation IS NULL)),
  CHECK ((state = 'running') = (lease_expires_at IS NOT NULL))
) STRICT;
CREATE INDEX agent_runs_open ON agent_runs (queued_at) WHERE state IN ('queued', 'running');
CREATE INDEX agent_runs_queued ON agent_runs (project_id, queued_at);

CREATE TABLE agent_events (
  project_id TEXT NOT NULL,
  job_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind <> ''),
  text TEXT NOT NULL,
  outcome TEXT,
  PRIMARY KEY (project_id, job_id, sequence),
  FOREIGN KEY (project_id, job_id) REFERENCES agent_runs (project_id, job_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- PostgreSQL:
CREATE TABLE agent_sources (
  project_id text COLLATE "C" PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  url text NOT NULL,
  page text NOT NULL,
  branch text NOT NULL,
  folders text NOT NULL,
  forge text NOT NULL CHECK (forge IN ('branch', 'agit', 'gitlab', 'github')),
  is_draft integer NOT NULL CHECK (is_draft IN (0, 1)),
  credential bytea
);

CREATE TABLE agent_runs (
  project_id text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  state text NOT NULL CHECK (state IN ('queued', 'running', 'ended')),
  prompt text NOT NULL,
  turn bigint NOT NULL DEFAULT 1,
  branch text NOT NULL,
  folder text,
  is_draft integer NOT NULL CHECK (is_draft IN (0, 1)),
  change_branch text,
  commit_id text COLLATE "C",
  pr_link text,
  run_end text,
  explanation text,
  files bigint NOT NULL DEFAULT 0,
  added bigint NOT NULL DEFAULT 0,
  removed bigint NOT NULL DEFAULT 0,
  change text,
  usage text NOT NULL DEFAULT '{"modelCalls":0,"inputTokens":null,"outputTokens":null,"cost":null}',
  events bigint NOT NULL DEFAULT 0,
  is_cancelling integer NOT NULL DEFAULT 0 CHECK (is_cancelling IN (0, 1)),
  interruptions bigint NOT NULL DEFAULT 0,
  queued_at bigint NOT NULL,
  started_at bigint,
  ended_at bigint,
  lease_owner text,
  lease_token bigint NOT NULL DEFAULT 0,
  lease_expires_at bigint,
  PRIMARY KEY (project_id, job_id),
  FOREIGN KEY (project_id, job_id) REFERENCES agent_jobs (project_id, id) ON DELETE CASCADE,
  CHECK ((state = 'ended') = (run_end IS NOT NULL)),
  CHECK ((run_end IS NULL) = (explanation IS NULL)),
  CHECK ((state = 'running') = (lease_expires_at IS NOT NULL))
);
CREATE INDEX agent_runs_open ON agent_runs (queued_at) WHERE state IN ('queued', 'running');
CREATE INDEX agent_runs_queued ON agent_runs (project_id, queued_at);

CREATE TABLE agent_events (
  project_id text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  at bigint NOT NULL,
  kind text NOT NULL CHECK (kind <> ''),
  text text NOT NULL,
  outcome text,
  PRIMARY KEY (project_id, job_id, sequence),
  FOREIGN KEY (project_id, job_id) REFERENCES agent_runs (project_id, job_id) ON DELETE CASCADE
);
