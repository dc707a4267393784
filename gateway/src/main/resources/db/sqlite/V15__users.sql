-- Those who may save their feeds here. Of a password only a hash is kept, which takes time and memory
-- to compute; the method says which one.
CREATE TABLE user (
  login TEXT PRIMARY KEY,
  method TEXT NOT NULL,
  salt BLOB NOT NULL,
  hash BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE saved_feed (
  login TEXT PRIMARY KEY REFERENCES user (login) ON DELETE CASCADE,
  bytes BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT;
