-- How many of the first events of a run were deleted by their age, except the instructions.
-- Usable from 019: older programs do not read it, and show what is left.

-- SQLite:
ALTER TABLE agent_runs ADD COLUMN expired_events INTEGER NOT NULL DEFAULT 0;
CREATE INDEX agent_runs_kept_logs ON agent_runs (ended_at) WHERE state = 'ended' AND expired_events < events;

-- PostgreSQL:
ALTER TABLE agent_runs ADD COLUMN expired_events bigint NOT NULL DEFAULT 0;
CREATE INDEX agent_runs_kept_logs ON agent_runs (ended_at) WHERE state = 'ended' AND expired_events < events;
