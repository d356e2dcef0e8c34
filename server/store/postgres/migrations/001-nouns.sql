-- Everything but visits. Instants are milliseconds since 1970 in UTC. Texts that are compared or sorted have the order of their bytes,
-- as in SQLite, whatever the language of the database is.

-- The clock of leases and of rate limits: the clocks of the nodes differ.
CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
  $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

CREATE TABLE organizations (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  plan text NOT NULL CHECK (plan IN ('standard', 'enterprise')),
  created_at bigint NOT NULL,
  export_turn bigint NOT NULL DEFAULT 0 -- the lowest was served longest ago
);
-- The numbers of claimed exports, for export_turn.
CREATE SEQUENCE export_turns;

CREATE TABLE projects (
  id text COLLATE "C" PRIMARY KEY,
  organization_id text COLLATE "C" NOT NULL REFERENCES organizations,
  name text COLLATE "C" NOT NULL,
  visitor_salt_rotation text NOT NULL DEFAULT 'never' CHECK (visitor_salt_rotation IN ('never', 'month', 'day')),
  created_at bigint NOT NULL
);
CREATE INDEX projects_organization ON projects (organization_id);

CREATE TABLE sites (
  domain text COLLATE "C" PRIMARY KEY,
  project_id text COLLATE "C" NOT NULL REFERENCES projects,
  origin text, -- where Quire fetches the site; NULL = https://domain
  -- JSON as text, because an export request is read as it was stored.
  removal text CHECK (removal IS NULL OR removal::json IS NOT NULL),
  allowed_origins text CHECK (allowed_origins IS NULL OR allowed_origins::json IS NOT NULL),
  created_at bigint NOT NULL
);
CREATE INDEX sites_project ON sites (project_id);

CREATE TABLE api_keys (
  id text COLLATE "C" PRIMARY KEY,
  organization_id text COLLATE "C" NOT NULL REFERENCES organizations,
  name text NOT NULL,
  secret_sha256 bytea NOT NULL UNIQUE,
  last4 text NOT NULL,
  scopes text NOT NULL, -- space separated, as in RFC 6749
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint
);
CREATE INDEX api_keys_organization ON api_keys (organization_id);

-- The generic cell rate algorithm. The times are those of now_ms().
CREATE TABLE rate_limits (
  organization_id text COLLATE "C" NOT NULL REFERENCES organizations,
  budget text COLLATE "C" NOT NULL,
  arrival_at double precision NOT NULL, -- the theoretical arrival time
  stored_at bigint NOT NULL, -- if this is later than now, the clock was set back
  allowed boolean NOT NULL, -- whether the request that wrote the row was allowed
  PRIMARY KEY (organization_id, budget)
) WITH (fillfactor = 50);

CREATE TABLE agent_jobs (
  project_id text COLLATE "C" NOT NULL REFERENCES projects,
  id text COLLATE "C" NOT NULL,
  status text NOT NULL CHECK (status IN ('active', 'completed', 'archived', 'failed')),
  source_repository text NOT NULL,
  source_ref text,
  model text NOT NULL,
  pr_link text,
  created_at bigint NOT NULL,
  archived_at bigint,
  PRIMARY KEY (project_id, id),
  CHECK ((status = 'archived') = (archived_at IS NOT NULL)),
  CHECK (status <> 'active' OR pr_link IS NULL)
);
CREATE INDEX agent_jobs_age ON agent_jobs (status, created_at);

CREATE TABLE export_jobs (
  job_id text COLLATE "C" PRIMARY KEY,
  organization_id text COLLATE "C" NOT NULL REFERENCES organizations,
  domain text COLLATE "C" NOT NULL,
  request text NOT NULL CHECK (request::json IS NOT NULL), -- the accepted export request
  status text NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed')),
  progress double precision NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
  page_count bigint NOT NULL DEFAULT 0,
  error text,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  -- The lease of the runner. Every claim increases the token, so a runner that lost its lease cannot write.
  lease_owner text,
  lease_token bigint NOT NULL DEFAULT 0,
  -- When the lease was taken or renewed, by now_ms(). If this is later than now, the clock was set back.
  lease_renewed_at bigint,
  lease_expires_at bigint,
  interruptions bigint NOT NULL DEFAULT 0,
  bundle_file text,
  bundle_size_bytes bigint,
  bundle_sha256 text,
  bundle_damage text, -- see `identify` in server/store/bundle-check.ts
  link_expires_at bigint, -- when the last link to the bundle expires; NULL = none was created
  CHECK ((status = 'failed') = (error IS NOT NULL)),
  CHECK ((status = 'completed') = (bundle_file IS NOT NULL))
);
CREATE INDEX export_jobs_open ON export_jobs (created_at) WHERE status IN ('queued', 'running');
CREATE INDEX export_jobs_organization ON export_jobs (organization_id, created_at);

CREATE TABLE idempotency_keys (
  organization_id text COLLATE "C" NOT NULL REFERENCES organizations,
  idempotency_key text COLLATE "C" NOT NULL,
  request_sha256 text NOT NULL,
  job_id text COLLATE "C" NOT NULL REFERENCES export_jobs,
  created_at bigint NOT NULL,
  PRIMARY KEY (organization_id, idempotency_key)
);
CREATE INDEX idempotency_keys_job ON idempotency_keys (job_id);

-- A row that /readyz writes to check that writing works.
CREATE TABLE readiness (
  id integer PRIMARY KEY CHECK (id = 1),
  checked_at bigint NOT NULL
);

-- The clock as the last deletion by age saw it, see server/base/clock-check.ts.
CREATE TABLE clock_check (
  id integer PRIMARY KEY CHECK (id = 1),
  checked_at bigint NOT NULL,
  doubted_at bigint -- when the clock was set forward; NULL = the clock is trusted
);

-- People who may sign in to the dashboard. They have no password: one-time links sign them in.
CREATE TABLE people (
  id text COLLATE "C" PRIMARY KEY,
  organization_id text COLLATE "C" REFERENCES organizations, -- NULL = an operator, who sees all organizations
  name text COLLATE "C" NOT NULL CHECK (name <> ''),
  created_at bigint NOT NULL,
  UNIQUE NULLS NOT DISTINCT (organization_id, name)
);

-- A link that was used is deleted.
CREATE TABLE sign_in_links (
  token_sha256 bytea PRIMARY KEY CHECK (length(token_sha256) = 32),
  person_id text COLLATE "C" NOT NULL REFERENCES people,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL CHECK (expires_at > created_at)
);
CREATE INDEX sign_in_links_person ON sign_in_links (person_id);

-- A session that was ended is deleted.
CREATE TABLE sessions (
  id text COLLATE "C" PRIMARY KEY,
  person_id text COLLATE "C" NOT NULL REFERENCES people,
  secret_sha256 bytea NOT NULL UNIQUE CHECK (length(secret_sha256) = 32),
  created_at bigint NOT NULL,
  last_seen_at bigint NOT NULL, -- to the minute
  expires_at bigint NOT NULL CHECK (expires_at > created_at),
  address text NOT NULL -- IP address of the browser that signed in
);
CREATE INDEX sessions_person ON sessions (person_id);

-- Who did what, when and from where. Only added to: the trigger below refuses everything else. It refers to no other table,
-- because events stay when what they are about is deleted.
CREATE TABLE audit_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  organization_id text COLLATE "C", -- NULL = about none, or about all
  action text NOT NULL CHECK (action <> ''), -- see AuditAction; no list here, because it grows
  subject text NOT NULL,
  detail text,
  actor text NOT NULL CHECK (actor <> ''),
  address text NOT NULL
);
CREATE INDEX audit_events_organization ON audit_events (organization_id, id);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$;
CREATE TRIGGER audit_events_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The key that signs links to bundles, as a fingerprint: servers with different keys notice it. The key is never here.
CREATE TABLE link_key (
  id integer PRIMARY KEY CHECK (id = 1),
  fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32)
);
