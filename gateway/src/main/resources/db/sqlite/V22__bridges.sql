-- When the bridged feed was last asked for, of feeds that are followed for that.
ALTER TABLE feed ADD COLUMN bridged_at INTEGER;
CREATE INDEX feed_bridged ON feed (bridged_at) WHERE bridged_at IS NOT NULL;
