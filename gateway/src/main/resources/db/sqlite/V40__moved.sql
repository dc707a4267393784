-- The mark of a store whose rows were moved to another store (away = 1), or of a copy that is not
-- finished (away = 0). No gateway opens a store that has it.
CREATE TABLE moved (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  token TEXT NOT NULL,
  peer TEXT NOT NULL,
  away INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;
