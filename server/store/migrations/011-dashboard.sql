-- People who may sign in to the dashboard. They have no password: one-time links sign them in.
CREATE TABLE people (
  id TEXT PRIMARY KEY,
  organization_id TEXT REFERENCES organizations (id), -- NULL = an operator, who sees all organizations
  name TEXT NOT NULL CHECK (name <> ''),
  created_at INTEGER NOT NULL,
  UNIQUE (organization_id, name)
) STRICT;
-- For UNIQUE, NULL differs from NULL.
CREATE UNIQUE INDEX people_operators ON people (name) WHERE organization_id IS NULL;

-- A link that was used is deleted.
CREATE TABLE sign_in_links (
  token_sha256 BLOB PRIMARY KEY CHECK (length(token_sha256) = 32),
  person_id TEXT NOT NULL REFERENCES people (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL CHECK (expires_at > created_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_links_person ON sign_in_links (person_id);

-- A session that was ended is deleted.
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  person_id TEXT NOT NULL REFERENCES people (id),
  secret_sha256 BLOB NOT NULL UNIQUE CHECK (length(secret_sha256) = 32),
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL, -- to the minute
  expires_at INTEGER NOT NULL CHECK (expires_at > created_at),
  address TEXT NOT NULL -- IP address of the browser that signed in
) STRICT;
CREATE INDEX sessions_person ON sessions (person_id);

-- Who did what, when and from where. Only added to: the triggers below refuse everything else. It refers to no other table,
-- because events stay when what they are about is deleted.
CREATE TABLE audit_events (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  organization_id TEXT, -- NULL = about none, or about all
  action TEXT NOT NULL CHECK (action <> ''), -- see AuditAction; no list here, because it grows
  subject TEXT NOT NULL,
  detail TEXT,
  actor TEXT NOT NULL CHECK (actor <> ''),
  address TEXT NOT NULL
) STRICT;
CREATE INDEX audit_events_organization ON audit_events (organization_id, id);

CREATE TRIGGER audit_events_update BEFORE UPDATE ON audit_events BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;
CREATE TRIGGER audit_events_delete BEFORE DELETE ON audit_events BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;
-- INSERT OR REPLACE deletes a row without the trigger above.
CREATE TRIGGER audit_events_replace BEFORE INSERT ON audit_events
WHEN EXISTS (SELECT 1 FROM audit_events WHERE id = NEW.id) BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;
