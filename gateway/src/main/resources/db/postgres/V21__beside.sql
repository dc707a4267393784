-- Work that arrives is committed by a second writer of the owner (rule L15), which has a row and an
-- epoch of its own: a commit holds the row to its end. An opening store may have made it already.
-- A table that is there already is no news for the log.
SET LOCAL client_min_messages = warning;
CREATE TABLE IF NOT EXISTS owner_beside (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  epoch BIGINT NOT NULL,
  last_commit BIGINT NOT NULL DEFAULT 0
);
