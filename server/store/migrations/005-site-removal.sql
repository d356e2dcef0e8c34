-- JSON: what exports of the site leave out or keep beyond the products that are recognised anyway. NULL = nothing.
ALTER TABLE sites ADD COLUMN removal TEXT CHECK (removal IS NULL OR json_valid(removal));
