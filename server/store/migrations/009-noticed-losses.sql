-- Whether visits of the project were counted, so that the loss of their file is noticed. NULL = not known yet: by an older
-- version, and found out when the store is opened. See server/store/visits/visit-records.ts.
ALTER TABLE projects ADD COLUMN has_visits INTEGER CHECK (has_visits IN (0, 1));

-- The damaged file that a check of its bytes found in place of the bundle, see `identify` in server/store/bundle-check.ts.
-- NULL = none was found. Another file is not known to be damaged.
ALTER TABLE export_jobs ADD COLUMN bundle_damage TEXT;
