-- Feeds that are fetched with credentials. These are encrypted; null where the feed is followed no
-- more. What such a feed brought stays private for as long as its row is here.
CREATE TABLE private_feed (
  feed_id BIGINT PRIMARY KEY REFERENCES feed (id),
  credentials TEXT COLLATE "C"
);
