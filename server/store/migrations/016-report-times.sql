-- When an agent job last changed, as its reporter says: older reports change nothing. NULL = when it was created.

-- SQLite:
ALTER TABLE agent_jobs ADD COLUMN changed_at INTEGER CHECK (changed_at >= 0);

-- PostgreSQL:
ALTER TABLE agent_jobs ADD COLUMN changed_at bigint CHECK (changed_at >= 0);
