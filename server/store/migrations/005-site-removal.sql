-- JSON: content that exports of the site remove or keep in addition to the known products. NULL = nothing.
ALTER TABLE sites ADD COLUMN removal TEXT CHECK (removal IS NULL OR json_valid(removal));
