-- As on PostgreSQL, where it tells whether a commit whose answer was lost took effect. No commit here is without an answer.
ALTER TABLE owner ADD COLUMN last_commit INTEGER NOT NULL DEFAULT 0;
