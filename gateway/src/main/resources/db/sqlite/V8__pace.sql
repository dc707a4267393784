-- A feed's rhythm, what its origin asks for, and where it is moving to.
ALTER TABLE feed ADD COLUMN pace TEXT NOT NULL DEFAULT '{}';

-- Whether an entry is known under another id.
CREATE INDEX entry_seen_as ON entry_seen (feed_id, fingerprint);

-- Feeds that are gone and whose WebSub subscribers are being told so, in the order of their ids.
CREATE TABLE denial (
  feed_id INTEGER PRIMARY KEY REFERENCES feed (id),
  told INTEGER NOT NULL,
  reason TEXT NOT NULL
) STRICT;
