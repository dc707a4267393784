-- The row of a second writer, as in the other engine.
CREATE TABLE owner_beside (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  epoch INTEGER NOT NULL,
  last_commit INTEGER NOT NULL DEFAULT 0
);
