-- Lists of feeds that the gateway publishes.
CREATE TABLE published_list (
  name TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  -- The feeds, in their order, as JSON.
  feeds TEXT NOT NULL,
  changed_at INTEGER NOT NULL
) STRICT;
