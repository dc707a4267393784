-- An entry that trackers have, stored once for all of them.
CREATE TABLE shared_entry (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  -- The id in entry_seen of each tracker that has the entry.
  seen_id TEXT NOT NULL,
  -- The first and the last event with the entry.
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL
) STRICT;
CREATE INDEX shared_entry_last ON shared_entry (last_seq);

-- A table of its own: rows of shared_entry are changed for each event with the entry.
CREATE TABLE shared_payload (
  id INTEGER PRIMARY KEY REFERENCES shared_entry (id) ON DELETE CASCADE,
  payload BLOB NOT NULL
) STRICT;

-- The entries of an event that are shared, and their bytes. A table of its own: a column behind a
-- payload of many pages would be slow to read.
CREATE TABLE shared_event (
  seq INTEGER PRIMARY KEY REFERENCES event (seq) ON DELETE CASCADE,
  entries TEXT NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;

-- The newest entries of a feed that are shared.
CREATE TABLE shared_newest (
  entry_id INTEGER PRIMARY KEY REFERENCES entry (id) ON DELETE CASCADE,
  shared_id INTEGER NOT NULL REFERENCES shared_entry (id)
) STRICT;
CREATE INDEX shared_newest_of ON shared_newest (shared_id);

CREATE VIEW stored_event AS
SELECT e.seq, e.feed_id, e.at, e.via, e.entries, e.payload, s.entries AS shared,
  LENGTH(e.payload) + COALESCE(s.bytes, 0) AS bytes
FROM event e LEFT JOIN shared_event s ON s.seq = e.seq;

CREATE VIEW stored_entry AS
SELECT e.id, e.feed_id, e.entry_key, e.seq, e.at, COALESCE(s.payload, e.payload) AS payload,
  COALESCE(LENGTH(s.payload), LENGTH(e.payload)) AS bytes
FROM entry e
  LEFT JOIN shared_newest n ON n.entry_id = e.id
  LEFT JOIN shared_payload s ON s.id = n.shared_id;
