-- The policies that what is stored obeys, as they were written.
CREATE TABLE restriction (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  policies TEXT NOT NULL
) STRICT;
