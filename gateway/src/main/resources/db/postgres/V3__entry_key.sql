-- A tracker knows an entry by its feed and its key in that feed: feeds that have an entry with one id
-- have two entries. Which feed an entry came from is found by its id, in every feed that has had it.
CREATE TEMPORARY TABLE tracked_entry ON COMMIT DROP AS
SELECT t.feed_id, s.feed_id || ':' || s.entry_id AS entry_id, t.fingerprint, t.seen_at
FROM entry_seen t
  JOIN entry_seen s ON s.entry_id = t.entry_id
    AND s.feed_id NOT IN (SELECT feed_id FROM tracker)
WHERE t.feed_id IN (SELECT feed_id FROM tracker) AND LENGTH(t.entry_id) < 490;

DELETE FROM entry_seen WHERE feed_id IN (SELECT feed_id FROM tracker);

INSERT INTO entry_seen (feed_id, entry_id, fingerprint, seen_at)
SELECT feed_id, entry_id, fingerprint, seen_at FROM tracked_entry;

-- The feeds that nobody follows any more, with the time since when that is known; their entries and
-- documents are freed some time later.
CREATE TABLE left_feed (
  feed_id BIGINT PRIMARY KEY REFERENCES feed (id),
  since BIGINT
);
CREATE INDEX left_feed_since ON left_feed (since);

INSERT INTO left_feed (feed_id) SELECT id FROM feed WHERE followed = 0;

CREATE FUNCTION note_left_feed() RETURNS TRIGGER LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM left_feed WHERE feed_id = NEW.id;
  INSERT INTO left_feed (feed_id) SELECT NEW.id WHERE NEW.followed = 0;
  RETURN NULL;
END
$$;

CREATE TRIGGER feed_left
AFTER UPDATE OF followed ON feed FOR EACH ROW
WHEN (OLD.followed <> NEW.followed)
EXECUTE FUNCTION note_left_feed();
