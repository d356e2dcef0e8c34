-- JSON: a list of further private origins from which the pages of the site may load files. NULL = none.
ALTER TABLE sites ADD COLUMN allowed_origins TEXT CHECK (allowed_origins IS NULL OR json_valid(allowed_origins));
