-- The gateway's clock, written about once a minute: a start that finds its clock behind this moves the
-- waits by the difference.
CREATE TABLE clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  at INTEGER NOT NULL
) STRICT;
