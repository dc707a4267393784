-- The newest events of the gateway itself, of which its own topics are made.
CREATE TABLE notice (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  about TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
