-- The keys of the visitor hashes of a project whose key rotates, one per month or day. See server/store/visits/period-keys.ts.
CREATE TABLE period_keys (
  period TEXT PRIMARY KEY, -- 2026-11 or 2026-11-20
  from_day INTEGER NOT NULL,
  to_day INTEGER NOT NULL CHECK (to_day > from_day), -- exclusive
  -- 'derived' = computed from visitor.key, for periods that had visits before this table existed
  source TEXT NOT NULL CHECK (source IN ('random', 'derived')),
  key BLOB CHECK (length(key) = 32),
  created_at INTEGER NOT NULL,
  -- The row of a destroyed key stays, so that late lines do not get a second key.
  destroyed_at INTEGER,
  CHECK ((key IS NOT NULL) = (source = 'random' AND destroyed_at IS NULL))
) STRICT, WITHOUT ROWID;

-- The days with visits that were hashed before this table existed, with keys derived from visitor.key.
CREATE TABLE derived_days (
  day INTEGER PRIMARY KEY
) STRICT;

INSERT INTO derived_days (day) SELECT day FROM day_counters;
