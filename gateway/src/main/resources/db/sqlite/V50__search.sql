-- Feeds whose first entries the search index has not read yet. New and changed entries reach the
-- index by the log; the entries of a baseline stand in no event. The number is never used twice:
-- a baseline that arrives while an earlier one is read is not forgotten with it.
CREATE TABLE search_due (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  feed_id INTEGER NOT NULL UNIQUE REFERENCES feed (id)
) STRICT;

CREATE TRIGGER entry_of_baseline AFTER INSERT ON entry WHEN NEW.seq IS NULL
BEGIN
  DELETE FROM search_due WHERE feed_id = NEW.feed_id;
  INSERT INTO search_due (feed_id) VALUES (NEW.feed_id);
END;
