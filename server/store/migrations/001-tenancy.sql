-- Tenancy: organizations, projects, sites, API keys. All tables store instants as milliseconds since 1970 in UTC.
CREATE TABLE organizations (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  plan TEXT NOT NULL CHECK (plan IN ('standard', 'enterprise')),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE projects (
  key INTEGER PRIMARY KEY, -- short, because other tables have a row per visit
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  visitor_salt_rotation TEXT NOT NULL DEFAULT 'never' CHECK (visitor_salt_rotation IN ('never', 'month', 'day')),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX projects_organization ON projects (organization_id);

CREATE TABLE sites (
  domain TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  origin TEXT, -- where Quire fetches the site; NULL = https://domain
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sites_project ON sites (project_id);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  secret_sha256 BLOB NOT NULL UNIQUE,
  last4 TEXT NOT NULL,
  scopes TEXT NOT NULL, -- space separated, as in RFC 6749
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;
CREATE INDEX api_keys_organization ON api_keys (organization_id);

-- One row per rate limit: the theoretical arrival time of the generic cell rate algorithm.
CREATE TABLE rate_limits (
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  budget TEXT NOT NULL,
  arrival_at INTEGER NOT NULL,
  PRIMARY KEY (organization_id, budget)
) STRICT, WITHOUT ROWID;
