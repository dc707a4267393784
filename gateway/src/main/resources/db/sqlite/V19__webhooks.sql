-- Endpoints that are sent JSON. The tag makes the ids of their messages differ from those of any other
-- gateway; the host is that of the URL, as the gateway names it; retired are the secrets that are valid
-- for a while yet. The consumer is made when the endpoint becomes active for the first time.
CREATE TABLE webhook (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tag TEXT NOT NULL,
  url TEXT NOT NULL,
  host TEXT NOT NULL,
  every_feed INTEGER NOT NULL,
  filter TEXT,
  description TEXT,
  secret TEXT NOT NULL,
  retired TEXT NOT NULL DEFAULT '[]',
  state TEXT NOT NULL,
  reason TEXT,
  verified INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  failing_since INTEGER,
  revision INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_due ON webhook (next_attempt_at, host) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_failing ON webhook (failing_since) WHERE failing_since IS NOT NULL;

-- The feeds that an endpoint names, each from the event on that was its newest then.
CREATE TABLE webhook_topic (
  webhook_id INTEGER NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  feed_id INTEGER NOT NULL REFERENCES feed (id),
  start INTEGER NOT NULL,
  PRIMARY KEY (webhook_id, feed_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_topic_of_feed ON webhook_topic (feed_id);
