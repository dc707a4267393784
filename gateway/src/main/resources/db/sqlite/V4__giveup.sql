-- When the oldest event was appended that a laggard has not got; absent, like next_attempt_at,
-- while it misses nothing of its own.
ALTER TABLE laggard ADD COLUMN behind_since INTEGER;
UPDATE laggard SET behind_since =
  (SELECT at FROM event
   WHERE event.feed_id = laggard.feed_id AND event.seq > laggard.cursor ORDER BY event.seq LIMIT 1)
WHERE next_attempt_at IS NOT NULL;
CREATE INDEX laggard_behind ON laggard (behind_since) WHERE behind_since IS NOT NULL;

-- When a subscription ends because of its errors, unless one of its deliveries succeeds before.
ALTER TABLE subscription ADD COLUMN remove_at INTEGER;
CREATE INDEX subscription_removal ON subscription (remove_at) WHERE remove_at IS NOT NULL;

-- What laggards were never sent; the newest rows are kept.
CREATE TABLE gap (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  subscription_id INTEGER NOT NULL REFERENCES subscription (id) ON DELETE CASCADE,
  feed_id INTEGER NOT NULL REFERENCES feed (id),
  from_seq INTEGER NOT NULL,
  to_seq INTEGER NOT NULL,
  events INTEGER NOT NULL,
  at INTEGER NOT NULL,
  reason TEXT NOT NULL
) STRICT;
CREATE INDEX gap_of_subscription ON gap (subscription_id, id);
