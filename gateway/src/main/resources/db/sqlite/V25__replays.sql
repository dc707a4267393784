-- What a laggard is sent again because somebody asked for it: up to which event, and since when.
ALTER TABLE laggard ADD COLUMN replay_to INTEGER;
ALTER TABLE laggard ADD COLUMN replay_at INTEGER;

-- Replays that wait until nothing is in flight to their subscription.
CREATE TABLE replay (
  subscription_id INTEGER PRIMARY KEY REFERENCES subscription (id) ON DELETE CASCADE,
  feed_id INTEGER NOT NULL REFERENCES feed (id),
  after INTEGER NOT NULL,
  up_to INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX replay_of_feed ON replay (feed_id);
