-- How far followed logs are read that tell the visits of several projects, see VisitRecorder.recordLogPosition.
-- A log of one project has its position beside the counts of that project.
CREATE TABLE log_positions (
  log TEXT PRIMARY KEY,
  position TEXT NOT NULL
) STRICT, WITHOUT ROWID;
