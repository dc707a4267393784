-- How a cloud took the last registration: the value of "protocol", and the URL behind its redirects
-- that answered. Both are tried first at the next registration.
ALTER TABLE endpoint ADD COLUMN protocol TEXT;
ALTER TABLE endpoint ADD COLUMN place TEXT;
