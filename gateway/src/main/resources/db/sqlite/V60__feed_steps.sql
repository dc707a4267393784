-- The caller that sent a ping, or the hub or cloud that sent a push; null for the gateway itself.
ALTER TABLE work ADD COLUMN sender TEXT;

-- The history of each feed: what became of its pings, pushes and polls. Polls without news are one
-- row for each day. Removed by age, and above a number of rows.
CREATE TABLE feed_step (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  feed_id INTEGER NOT NULL REFERENCES feed (id),
  kind TEXT NOT NULL,
  outcome TEXT NOT NULL,
  via TEXT NOT NULL,
  at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  times INTEGER NOT NULL,
  code INTEGER,
  message TEXT,
  state TEXT NOT NULL,
  state_before TEXT,
  fresh INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  first_seq INTEGER,
  last_seq INTEGER,
  reports INTEGER NOT NULL,
  arrivals TEXT NOT NULL
) STRICT;
CREATE INDEX feed_step_of ON feed_step (feed_id, id);
CREATE INDEX feed_step_event ON feed_step (feed_id, last_seq) WHERE last_seq IS NOT NULL;
