-- The state of a laggard is one column (Laggard.State); before, five columns that may be absent told it.
-- document_end is the cursor in the states that have no document.
CREATE TABLE laggard_new (
  subscription_id INTEGER PRIMARY KEY REFERENCES subscription (id) ON DELETE CASCADE,
  feed_id INTEGER NOT NULL REFERENCES feed (id),
  host TEXT NOT NULL,
  cursor INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('PARKED', 'BEHIND', 'FIXED', 'IN_FLIGHT', 'JUMPED')),
  document_end INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER,
  error TEXT,
  behind_since INTEGER,
  replay_to INTEGER,
  replay_at INTEGER,
  CHECK ((state IN ('PARKED', 'JUMPED')) = (next_attempt_at IS NULL))
) STRICT;

INSERT INTO laggard_new
SELECT subscription_id, feed_id, host, cursor,
  CASE
    WHEN in_flight = 1 AND (sent_to IS NULL OR next_attempt_at IS NULL) THEN 'JUMPED'
    WHEN in_flight = 1 THEN 'IN_FLIGHT'
    WHEN sent_to IS NOT NULL AND COALESCE(next_attempt_at, replay_at) IS NOT NULL THEN 'FIXED'
    WHEN next_attempt_at IS NOT NULL THEN 'BEHIND'
    ELSE 'PARKED' END,
  COALESCE(sent_to, cursor), attempts, COALESCE(next_attempt_at, replay_at), error,
  behind_since, replay_to, replay_at
FROM (
  -- A laggard that jumped while a request was under way has neither a time nor a document.
  SELECT subscription_id, feed_id, host, cursor, sent_to, attempts, error, in_flight, behind_since,
    replay_to, replay_at,
    CASE WHEN in_flight = 0 OR sent_to IS NOT NULL THEN next_attempt_at END AS next_attempt_at
  FROM laggard);

DROP TABLE laggard;
ALTER TABLE laggard_new RENAME TO laggard;
CREATE INDEX laggard_of_feed ON laggard (feed_id, cursor);
CREATE INDEX laggard_of_host ON laggard (host, next_attempt_at) WHERE state IN ('BEHIND', 'FIXED');
CREATE INDEX laggard_parked ON laggard (feed_id, cursor) WHERE state = 'PARKED';
CREATE INDEX laggard_in_flight ON laggard (feed_id, cursor) WHERE state IN ('IN_FLIGHT', 'JUMPED');
CREATE INDEX laggard_behind ON laggard (behind_since) WHERE behind_since IS NOT NULL;
