-- The pages of the entries that webhooks without repetitions were sent: the newest of each.
CREATE TABLE webhook_link (
  webhook_id INTEGER NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  link TEXT NOT NULL,
  feed_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (webhook_id, link)
) STRICT;
CREATE INDEX webhook_link_in_order ON webhook_link (webhook_id, seq);
