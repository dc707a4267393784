-- The nodes that share a database. A store in a file has one node, which needs no row.
CREATE TABLE node (
  incarnation TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  since INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
ALTER TABLE owner ADD COLUMN incarnation TEXT;
