-- The pause of a hub that says that it is busy, or fails: its end, and its length in milliseconds,
-- which the next one doubles.
ALTER TABLE endpoint ADD COLUMN paused_until BIGINT;
ALTER TABLE endpoint ADD COLUMN pause BIGINT;
