-- The visits of one project, in a separate file: server/store/visits/.

CREATE TABLE pages (
  number INTEGER PRIMARY KEY, -- from 1 without gaps; 0 = the whole site
  id INTEGER NOT NULL UNIQUE, -- see toPageId
  path TEXT NOT NULL UNIQUE
) STRICT;

-- The exact set of which visitor saw which page on which day. A visitor is a keyed hash of address and user agent; neither
-- is stored.
-- A visitor's days are adjacent, because a new day requires the visitor's previous and next day.
CREATE TABLE seen (
  visitor BLOB NOT NULL CHECK (length(visitor) = 16),
  day INTEGER NOT NULL CHECK (day >= 0), -- days since 1970-01-01 in UTC
  pages BLOB NOT NULL, -- see encodeSeenPages
  PRIMARY KEY (visitor, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE day_counters (
  day INTEGER PRIMARY KEY,
  block BLOB NOT NULL -- see CellBlock
) STRICT;

-- The counters of the days of a month whose previous day is before the month, added together.
CREATE TABLE month_counters (
  month INTEGER PRIMARY KEY, -- its first day
  block BLOB NOT NULL
) STRICT;

-- The read positions of logs, written in the transaction that counts the lines.
CREATE TABLE log_positions (
  log TEXT PRIMARY KEY,
  position TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The first day from which `seen` is complete, set once it was pruned.
CREATE TABLE kept (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  from_day INTEGER NOT NULL
) STRICT;
