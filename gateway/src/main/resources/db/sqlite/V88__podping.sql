-- The newest block of Hive whose pings were taken.
CREATE TABLE podping (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  block INTEGER NOT NULL
) STRICT;
