-- The subscriptions that have ended: of each callback at a feed the last one.
CREATE TABLE ended_subscription (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id INTEGER NOT NULL UNIQUE,
  feed_id INTEGER NOT NULL,
  protocol TEXT NOT NULL,
  topic TEXT NOT NULL,
  callback TEXT NOT NULL,
  format TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  UNIQUE (feed_id, protocol, callback)
) STRICT;
CREATE INDEX ended_subscription_of_feed ON ended_subscription (feed_id, id);
