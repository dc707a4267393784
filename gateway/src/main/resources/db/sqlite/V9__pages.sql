-- The page that a followed or once followed feed names as its own, so that a ping for the page finds
-- the feed. Feeds of before get theirs by their next full fetch.
CREATE TABLE feed_page (
  feed_id INTEGER PRIMARY KEY REFERENCES feed (id),
  page TEXT NOT NULL
) STRICT;
CREATE INDEX feed_page_page ON feed_page (page);
