-- For how many people a subscriber says it stands; of most nothing is known but that it is one.
ALTER TABLE subscription ADD COLUMN readers INTEGER NOT NULL DEFAULT 1;
CREATE INDEX subscription_readers ON subscription (feed_id, readers) WHERE readers <> 1;
