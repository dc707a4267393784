-- The newest work of a feed, and the row of a second writer, as in the other engine.
ALTER TABLE backlog ADD COLUMN newest INTEGER NOT NULL DEFAULT 0;
UPDATE backlog SET newest = (SELECT MAX(id) FROM work WHERE work.feed_id = backlog.feed_id)
WHERE EXISTS (SELECT 1 FROM work WHERE work.feed_id = backlog.feed_id);

CREATE TABLE owner_beside (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  epoch INTEGER NOT NULL,
  last_commit INTEGER NOT NULL DEFAULT 0
);
