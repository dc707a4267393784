-- The pages of the entries that webhooks without repetitions were sent: the newest of each.
CREATE TABLE webhook_link (
  webhook_id BIGINT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  link TEXT COLLATE "C" NOT NULL,
  feed_id BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  PRIMARY KEY (webhook_id, link)
);
CREATE INDEX webhook_link_in_order ON webhook_link (webhook_id, seq);
