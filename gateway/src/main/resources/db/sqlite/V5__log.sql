-- Events up to this number were removed for their age; some that a round or a delivery under way
-- still needs may be there yet.
CREATE TABLE log (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  start INTEGER NOT NULL
) STRICT;
INSERT INTO log (id, start) VALUES (1, 0);

-- Readers of some feeds pass over the others' events without touching them.
CREATE INDEX event_in_order ON event (seq, feed_id);

-- The newest entries of each feed; they outlive the events that they came in. The id grows with
-- each arrival, the key is a digest of the entry's own id, and those of a baseline have no seq.
CREATE TABLE entry (
  id INTEGER PRIMARY KEY,
  feed_id INTEGER NOT NULL REFERENCES feed (id),
  entry_key BLOB NOT NULL,
  seq INTEGER,
  at INTEGER NOT NULL,
  payload BLOB NOT NULL
) STRICT;
CREATE INDEX entry_of_feed ON entry (feed_id, id, entry_key);

CREATE TABLE feed_fields (
  feed_id INTEGER PRIMARY KEY REFERENCES feed (id),
  payload BLOB NOT NULL
) STRICT;

CREATE TABLE consumer (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  cursor INTEGER NOT NULL,
  sent_to INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL,
  error TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE consumer_gap (
  id INTEGER PRIMARY KEY,
  consumer_id INTEGER NOT NULL REFERENCES consumer (id) ON DELETE CASCADE,
  after INTEGER NOT NULL,
  up_to INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX consumer_gap_of ON consumer_gap (consumer_id, id);

-- What a delivery under way may need is not removed.
CREATE INDEX laggard_under_way ON laggard (feed_id, cursor) WHERE in_flight = 1;
