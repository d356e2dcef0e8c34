-- How the visitors of a project are told apart, see VisitorRules. Projects that have visits keep what they counted with.
ALTER TABLE projects ADD COLUMN visitor_rules INTEGER NOT NULL DEFAULT 1 CHECK (visitor_rules IN (1, 2));
-- What counts in a project, see CountingSettings, as JSON.
ALTER TABLE projects ADD COLUMN counting TEXT NOT NULL DEFAULT '{}';
