-- The subscriptions that want digests, and when the next digest of each is due.
CREATE TABLE digest (
  subscription_id BIGINT PRIMARY KEY REFERENCES subscription (id) ON DELETE CASCADE,
  feed_id BIGINT NOT NULL REFERENCES feed (id),
  due_at BIGINT NOT NULL,
  is_new SMALLINT NOT NULL
);
CREATE INDEX digest_due ON digest (due_at);
-- When the digest was due that a laggard is sent; absent while it is sent events.
ALTER TABLE laggard ADD COLUMN digest_at BIGINT;
