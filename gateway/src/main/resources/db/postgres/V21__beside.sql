-- Work that arrives is committed by a second writer of the owner (rule L15), which has a row and an
-- epoch of its own: a commit holds the row to its end.
CREATE TABLE owner_beside (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  epoch BIGINT NOT NULL,
  last_commit BIGINT NOT NULL DEFAULT 0
);

-- The newest work of a feed: by it the removal of other work sees that work was added meanwhile.
ALTER TABLE backlog ADD COLUMN newest BIGINT NOT NULL DEFAULT 0;
UPDATE backlog SET newest = (SELECT MAX(id) FROM work WHERE work.feed_id = backlog.feed_id)
WHERE EXISTS (SELECT 1 FROM work WHERE work.feed_id = backlog.feed_id);
