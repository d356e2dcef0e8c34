-- The read positions of followed logs that contain visits of several projects, see VisitRecorder.recordLogPosition.
-- The position of a log of one project is stored with the counts of that project.
CREATE TABLE log_positions (
  log TEXT PRIMARY KEY,
  position TEXT NOT NULL
) STRICT, WITHOUT ROWID;
