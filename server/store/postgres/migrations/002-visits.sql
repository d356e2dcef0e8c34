-- The visits of all projects, see server/store/postgres/visits/. A project has a number here, because its id in each row would take more
-- space than the rest. The tables below do not refer to this one, because a check of each row would slow down imports; whoever changes
-- them holds the lock of the row here.
CREATE TABLE visited_projects (
  key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id text COLLATE "C" NOT NULL UNIQUE REFERENCES projects,
  -- Identifies the counts. Every transaction that changes them stores a new random value.
  revision bytea NOT NULL CHECK (length(revision) = 16),
  kept_from integer NOT NULL DEFAULT 0, -- the first day from which seen_rows is complete; 0 = it was not pruned
  deleted_before integer NOT NULL DEFAULT 0, -- less than kept_from while earlier days are still being deleted
  labelled_from integer -- the first day whose visits all have labels; NULL = all have them
);

CREATE TABLE pages (
  project_key integer NOT NULL,
  number integer NOT NULL CHECK (number > 0), -- from 1 without gaps; 0 = the whole site
  id bigint NOT NULL, -- see toPageId; it also finds the page of a path, which may be too long for an index
  path text COLLATE "C" NOT NULL,
  PRIMARY KEY (project_key, number),
  UNIQUE (project_key, id)
);

-- The exact set of which visitor saw which page on which day. A visitor is a keyed hash of address and user agent; neither is stored.
CREATE TABLE seen_rows (
  project_key integer NOT NULL,
  from_day integer NOT NULL CHECK (from_day >= 0), -- days since 1970-01-01 in UTC
  visitor uuid NOT NULL, -- any 16 bytes; bytea would take one more
  days bytea NOT NULL, -- see SeenRow
  PRIMARY KEY (project_key, visitor, from_day)
  -- A row that grows stays in its page, and its index entry is kept.
) WITH (fillfactor = 90);

CREATE TABLE day_counters (
  project_key integer NOT NULL,
  day integer NOT NULL,
  block bytea NOT NULL, -- see CellBlock
  PRIMARY KEY (project_key, day)
);
-- The counters of the days of a month whose previous day is before the month, added together.
CREATE TABLE month_counters (
  project_key integer NOT NULL,
  month integer NOT NULL, -- its first day
  block bytea NOT NULL,
  PRIMARY KEY (project_key, month)
);
-- Blocks are compressed already.
ALTER TABLE day_counters ALTER COLUMN block SET STORAGE EXTERNAL;
ALTER TABLE month_counters ALTER COLUMN block SET STORAGE EXTERNAL;

-- The read positions of logs, written in the transaction that counts the lines. Nodes may follow different logs of the same path.
CREATE TABLE log_positions (
  project_key integer NOT NULL, -- 0 = the log has visits of several projects
  node text COLLATE "C" NOT NULL,
  log text COLLATE "C" NOT NULL,
  position text NOT NULL,
  PRIMARY KEY (project_key, node, log)
);

-- The keys of the visitor hashes of a project whose key rotates, one per month or day. See server/store/visits/period-keys.ts.
CREATE TABLE period_keys (
  project_key integer NOT NULL,
  period text COLLATE "C" NOT NULL, -- 2026-11 or 2026-11-20
  from_day integer NOT NULL,
  to_day integer NOT NULL CHECK (to_day > from_day), -- exclusive
  source text NOT NULL CHECK (source IN ('random', 'derived')),
  key bytea CHECK (length(key) = 32),
  created_at bigint NOT NULL,
  destroyed_at bigint, -- the row of a destroyed key stays, so that late lines do not get a second key
  is_cleared boolean NOT NULL DEFAULT false, -- whether the hashes that were made with a destroyed key are deleted
  PRIMARY KEY (project_key, period),
  CHECK ((key IS NOT NULL) = (source = 'random' AND destroyed_at IS NULL))
);

-- The days with visits that were hashed with keys derived from visitor.key, by early versions of Quire on SQLite.
CREATE TABLE derived_days (
  project_key integer NOT NULL,
  day integer NOT NULL,
  PRIMARY KEY (project_key, day)
);

-- The labels of visitors, see server/analytics/labels.ts.
CREATE TABLE labels (
  project_key integer NOT NULL,
  number integer NOT NULL CHECK (number > 0),
  label text COLLATE "C" NOT NULL,
  PRIMARY KEY (project_key, number)
);
-- The visitors of the labels of a day, see groupLabels.
CREATE TABLE seen_labels (
  project_key integer NOT NULL,
  day integer NOT NULL CHECK (day >= 0),
  counts bytea NOT NULL, -- 32-bit numbers of labels, ascending, and as many numbers of visitors
  visitors bytea, -- see encodeSets; NULL once the day was pruned
  PRIMARY KEY (project_key, day)
);
ALTER TABLE seen_labels ALTER COLUMN visitors SET STORAGE EXTERNAL;

-- Shows that a node has another visitor.key than the node that counted first. The key itself is never here.
CREATE TABLE visitor_secret (
  id integer PRIMARY KEY CHECK (id = 1),
  fingerprint bytea NOT NULL
);
