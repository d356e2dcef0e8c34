-- When an agent job last changed, as its reporter says: older reports change nothing. NULL = when it was created.
ALTER TABLE agent_jobs ADD COLUMN changed_at INTEGER CHECK (changed_at >= 0);
