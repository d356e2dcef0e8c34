-- The labels of visitors, see server/analytics/labels.ts.
CREATE TABLE labels (
  number INTEGER PRIMARY KEY,
  label TEXT NOT NULL UNIQUE
) STRICT;

-- The visitors of the labels of a day, see groupLabels.
CREATE TABLE seen_labels (
  day INTEGER PRIMARY KEY CHECK (day >= 0),
  counts BLOB NOT NULL, -- 32-bit numbers of labels, ascending, and as many numbers of visitors
  visitors BLOB -- see encodeSets; null once the day was pruned
) STRICT;

-- The first day whose visits have labels. Set if an earlier version counted visits.
CREATE TABLE labelled (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  from_day INTEGER NOT NULL
) STRICT;

INSERT INTO labelled (id, from_day)
SELECT 1, max(day) + 1 FROM day_counters HAVING max(day) IS NOT NULL;
