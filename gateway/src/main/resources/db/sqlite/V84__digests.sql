-- The subscriptions that want digests, and when the next digest of each is due.
CREATE TABLE digest (
  subscription_id INTEGER PRIMARY KEY REFERENCES subscription (id) ON DELETE CASCADE,
  feed_id INTEGER NOT NULL REFERENCES feed (id),
  due_at INTEGER NOT NULL,
  is_new INTEGER NOT NULL
) STRICT;
CREATE INDEX digest_due ON digest (due_at);
-- When the digest was due that a laggard is sent; absent while it is sent events.
ALTER TABLE laggard ADD COLUMN digest_at INTEGER;
