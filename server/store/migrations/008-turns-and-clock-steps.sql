-- The number of the organization's last claimed export, counted over all organizations: the lowest was served longest ago.
-- A count and no time, because a clock can be set back.
ALTER TABLE organizations ADD COLUMN export_turn INTEGER NOT NULL DEFAULT 0;

-- When the lease was taken or renewed. If this is later than now, the clock was set back. NULL = by an older version.
ALTER TABLE export_jobs ADD COLUMN lease_renewed_at INTEGER;

-- When arrival_at was stored. If this is later than now, the clock was set back. NULL = by an older version.
ALTER TABLE rate_limits ADD COLUMN stored_at INTEGER;

-- The clock as the last deletion by age saw it, see server/base/clock-check.ts.
CREATE TABLE clock_check (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  checked_at INTEGER NOT NULL,
  doubted_at INTEGER -- when the clock was set forward; NULL = the clock is trusted
) STRICT;
