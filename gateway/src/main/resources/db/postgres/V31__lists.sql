-- Feeds whose document is a list of feeds. The members are as they should be where revision and
-- settled are the same, and sponsored says what is so now.
CREATE TABLE feed_list (
  feed_id BIGINT PRIMARY KEY REFERENCES feed (id),
  revision BIGINT NOT NULL,
  settled BIGINT NOT NULL,
  -- Whether a subscriber of the list follows its members.
  sponsored SMALLINT NOT NULL,
  -- Feeds of the document beyond the bound.
  left_out BIGINT NOT NULL
);

-- The feeds of a list by their URLs there. A member that is followed for the list has a feed_id; its
-- events behind start are the list's.
CREATE TABLE list_member (
  list_id BIGINT NOT NULL REFERENCES feed_list (feed_id),
  url TEXT COLLATE "C" NOT NULL,
  title TEXT COLLATE "C",
  -- Whether it is a list, whose own feeds are the list's too.
  included SMALLINT NOT NULL,
  -- Whether the list's document has it.
  wanted SMALLINT NOT NULL,
  feed_id BIGINT REFERENCES feed (id),
  start BIGINT,
  -- Why it is not followed.
  refused TEXT COLLATE "C",
  PRIMARY KEY (list_id, url)
);
CREATE INDEX list_member_feed ON list_member (feed_id) WHERE feed_id IS NOT NULL;
CREATE INDEX list_member_refused ON list_member (refused) WHERE refused IS NOT NULL;
