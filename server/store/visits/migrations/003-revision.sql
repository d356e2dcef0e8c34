-- Identifies the counts of the project. Every transaction that changes them stores a new random value, so that a value never
-- comes back: not after a reset, and not after a backup was restored and other visits were counted.
CREATE TABLE revision (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  value BLOB NOT NULL CHECK (length(value) = 16)
) STRICT;
INSERT INTO revision (id, value) VALUES (1, randomblob(16));
