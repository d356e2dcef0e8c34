-- The instants of the last counted requests instead of a budget that refills, see server/tenancy/rate-limit.ts.
-- All that was used of the only budget (100 requests, one more each 36 s) counts from the last request on: never later than it was made, so
-- nobody has more requests after the upgrade than before.

-- SQLite:
CREATE TABLE counted_requests (
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  budget TEXT NOT NULL,
  instants TEXT NOT NULL CHECK (json_type(instants) = 'array'), -- ascending, at most as many as the quota
  PRIMARY KEY (organization_id, budget)
  -- Not WITHOUT ROWID: there, 100 instants would not fit into a page and each request would write two.
) STRICT;

-- It is unknown when a row without stored_at was written.
INSERT INTO counted_requests (organization_id, budget, instants)
WITH RECURSIVE
  old AS (
    SELECT organization_id, budget, coalesce(stored_at, arrival_at) AS at,
      CASE WHEN stored_at IS NULL THEN 100 ELSE min((arrival_at - stored_at + 35999) / 36000, 100) END AS used
    FROM rate_limits
  ),
  numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 100)
SELECT organization_id, budget, json_group_array(at) FROM old JOIN numbers ON number <= used
GROUP BY organization_id, budget;

DROP TABLE rate_limits;
ALTER TABLE counted_requests RENAME TO rate_limits;

-- PostgreSQL:
-- By now_ms(), ascending, at most as many as the quota.
ALTER TABLE rate_limits ADD COLUMN instants bigint[] NOT NULL DEFAULT '{}';

UPDATE rate_limits
SET instants = array_fill(stored_at, ARRAY[least(greatest(ceil((arrival_at - stored_at) / 36000), 0), 100)::integer]);

-- Only nodes of an earlier version use the other columns, while one node after the other is replaced. They count for themselves until then.
ALTER TABLE rate_limits
  ALTER COLUMN arrival_at SET DEFAULT 0,
  ALTER COLUMN stored_at SET DEFAULT 0,
  ALTER COLUMN allowed SET DEFAULT true;
