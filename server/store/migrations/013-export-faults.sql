-- How often the process of an export crashed or stalled.
ALTER TABLE export_jobs ADD COLUMN faults INTEGER NOT NULL DEFAULT 0;
