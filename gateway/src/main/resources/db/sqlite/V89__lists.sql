-- Feeds whose document is a list of feeds. The members are as they should be where revision and
-- settled are the same, and sponsored says what is so now.
CREATE TABLE feed_list (
  feed_id INTEGER PRIMARY KEY REFERENCES feed (id),
  revision INTEGER NOT NULL,
  settled INTEGER NOT NULL,
  -- Whether a subscriber of the list follows its members.
  sponsored INTEGER NOT NULL,
  -- Feeds of the document beyond the bound.
  left_out INTEGER NOT NULL
) STRICT;

-- The feeds of a list by their URLs there. A member that is followed for the list has a feed_id; its
-- events behind start are the list's.
CREATE TABLE list_member (
  list_id INTEGER NOT NULL REFERENCES feed_list (feed_id),
  url TEXT NOT NULL,
  title TEXT,
  -- Whether it is a list, whose own feeds are the list's too.
  included INTEGER NOT NULL,
  -- Whether the list's document has it.
  wanted INTEGER NOT NULL,
  feed_id INTEGER REFERENCES feed (id),
  start INTEGER,
  -- Why it is not followed.
  refused TEXT,
  PRIMARY KEY (list_id, url)
) STRICT, WITHOUT ROWID;
CREATE INDEX list_member_feed ON list_member (feed_id) WHERE feed_id IS NOT NULL;
CREATE INDEX list_member_refused ON list_member (refused) WHERE refused IS NOT NULL;
