-- The visits of one project, a file of its own: server/store/visits/.

CREATE TABLE pages (
  number INTEGER PRIMARY KEY, -- from 1 without gaps: 0 stands for the whole site
  id INTEGER NOT NULL UNIQUE, -- see toPageId
  path TEXT NOT NULL UNIQUE
) STRICT;

-- The exact set of who saw what on which day. No address, no user agent: a visitor is a keyed hash of them.
-- A visitor's days are neighbours, because each new one needs those before and after it.
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

-- The counters of the days of a month whose previous day is before the month, summed up.
CREATE TABLE month_counters (
  month INTEGER PRIMARY KEY, -- its first day
  block BLOB NOT NULL
) STRICT;

-- How far logs are read, in the transaction that counts what was read.
CREATE TABLE log_positions (
  log TEXT PRIMARY KEY,
  position TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- From which day on `seen` is whole, once it was pruned.
CREATE TABLE kept (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  from_day INTEGER NOT NULL
) STRICT;
