-- The wishes of a webhook for its documents, and the time until which it wants no further one.
ALTER TABLE webhook ADD COLUMN wishes TEXT COLLATE "C";
ALTER TABLE webhook ADD COLUMN rests_until BIGINT;
-- The time until which a parked laggard wants no further document.
ALTER TABLE laggard ADD COLUMN rests_until BIGINT;
