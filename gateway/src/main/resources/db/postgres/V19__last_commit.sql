-- A random mark of the newest commit: whether a commit whose answer was lost took effect is read from here. The server's own
-- numbers of transactions may be given out again after a crash.
ALTER TABLE owner ADD COLUMN last_commit BIGINT NOT NULL DEFAULT 0;
