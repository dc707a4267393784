-- Sites that pinged lately, each once in a clock hour since the epoch.
CREATE TABLE site_ping (
  hour INTEGER NOT NULL,
  url TEXT NOT NULL,
  at INTEGER NOT NULL,
  name TEXT NOT NULL,
  feed TEXT,
  PRIMARY KEY (hour, url)
) STRICT, WITHOUT ROWID;
CREATE INDEX site_ping_at ON site_ping (at);

-- All pings ever.
CREATE TABLE site_ping_count (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  pings INTEGER NOT NULL
) STRICT;
INSERT INTO site_ping_count (id, pings) VALUES (1, 0);
