-- Whoever opens the file raises the epoch; a commit of an older one is refused (rule L15).
CREATE TABLE owner (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  epoch INTEGER NOT NULL,
  opened_at INTEGER NOT NULL
) STRICT;

-- The gateway's own keys, made once and kept.
CREATE TABLE secret (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Empty but for the moment in which the writer tries whether there is room again.
CREATE TABLE probe (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  bytes BLOB NOT NULL
) STRICT;

-- The feeds that have work, each with its oldest item: whose turn it is, however much work there is.
CREATE TABLE backlog (
  feed_id INTEGER PRIMARY KEY REFERENCES feed (id),
  oldest INTEGER NOT NULL
) STRICT;
CREATE INDEX backlog_oldest ON backlog (oldest);
INSERT INTO backlog (feed_id, oldest) SELECT feed_id, MIN(id) FROM work GROUP BY feed_id;

CREATE INDEX work_fat ON work (feed_id, id) WHERE kind = 'FAT';
