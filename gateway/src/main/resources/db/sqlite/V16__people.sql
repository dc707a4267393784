-- For how many people a subscriber says it stands (X-Hub-On-Behalf-Of), which origins are told of.
ALTER TABLE subscription ADD COLUMN people INTEGER NOT NULL DEFAULT 1;

CREATE INDEX subscription_people ON subscription (feed_id, people) WHERE people <> 1;
