-- The exact set of which visitor saw which page on which day. A visitor is a keyed hash of address and user agent; neither
-- is stored. Replaces the table `seen`, which had a row per day; its rows move here with the next write, see move-seen-days.ts.
CREATE TABLE seen_rows (
  visitor BLOB NOT NULL CHECK (length(visitor) = 16),
  from_day INTEGER NOT NULL CHECK (from_day >= 0), -- days since 1970-01-01 in UTC
  days BLOB NOT NULL, -- see SeenRow
  PRIMARY KEY (visitor, from_day)
) STRICT, WITHOUT ROWID;
