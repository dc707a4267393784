-- Feeds whose fetch waits for a budget; the row goes with the next outcome of the feed.
CREATE TABLE held_back (
  feed_id INTEGER PRIMARY KEY REFERENCES feed (id),
  reason TEXT NOT NULL,
  until INTEGER NOT NULL
) STRICT;
