-- Feeds that may be trackers, each under the number of its last change: the follower of the log that
-- serves trackers reads the changes behind the last one it knows. The events behind start are the
-- tracker's; start is absent while it is not followed, or has no baseline.
CREATE TABLE tracker (
  change INTEGER PRIMARY KEY AUTOINCREMENT,
  feed_id INTEGER NOT NULL UNIQUE REFERENCES feed (id),
  topic TEXT NOT NULL,
  start INTEGER
) STRICT;

CREATE TRIGGER tracker_of_feed AFTER UPDATE OF followed, first_fetch_at ON feed
WHEN (OLD.followed <> NEW.followed OR (OLD.first_fetch_at IS NULL) <> (NEW.first_fetch_at IS NULL))
  AND INSTR(NEW.topic, '/track?') > 0
BEGIN
  -- Not as one statement: the statement that fires a trigger decides on its conflicts.
  DELETE FROM tracker WHERE feed_id = NEW.id;
  INSERT INTO tracker (feed_id, topic, start)
  SELECT NEW.id, NEW.topic,
    CASE WHEN NEW.followed = 1 AND NEW.first_fetch_at IS NOT NULL
      THEN MAX(log.start, COALESCE((SELECT MAX(seq) FROM event), 0)) END
  FROM log;
END;

-- All trackers have the events up to here.
CREATE TABLE tracked (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  position INTEGER NOT NULL
) STRICT;
INSERT INTO tracked (id, position)
SELECT 1, MAX(start, COALESCE((SELECT MAX(seq) FROM event), 0)) FROM log;
