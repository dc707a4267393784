-- Times are milliseconds since the epoch. JSON columns hold what no query looks into.

CREATE TABLE feed (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  topic TEXT NOT NULL UNIQUE,
  url TEXT NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  followed INTEGER NOT NULL,
  head INTEGER NOT NULL DEFAULT 0,
  rounded INTEGER NOT NULL DEFAULT 0,
  first_fetch_at INTEGER,
  next_fetch_at INTEGER,
  retry_via TEXT,
  fetched TEXT NOT NULL,
  tried INTEGER NOT NULL DEFAULT 0,
  etag TEXT,
  last_modified TEXT,
  body_hash TEXT,
  advertised TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 0,
  chosen_revision INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX feed_fetch_due ON feed (next_fetch_at) WHERE followed = 1 AND next_fetch_at IS NOT NULL;
CREATE INDEX feed_round_due ON feed (id) WHERE head > rounded;
CREATE INDEX feed_choice_due ON feed (id) WHERE revision > chosen_revision;

CREATE TABLE body (
  feed_id INTEGER PRIMARY KEY REFERENCES feed (id),
  content_type TEXT,
  bytes BLOB NOT NULL
) STRICT;

CREATE TABLE entry_seen (
  feed_id INTEGER NOT NULL REFERENCES feed (id),
  entry_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  updated_at INTEGER,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (feed_id, entry_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  feed_id INTEGER NOT NULL REFERENCES feed (id),
  at INTEGER NOT NULL,
  via TEXT NOT NULL,
  entries INTEGER NOT NULL,
  payload BLOB NOT NULL
) STRICT;
CREATE INDEX event_of_feed ON event (feed_id, seq);

CREATE TABLE subscription (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  feed_id INTEGER NOT NULL REFERENCES feed (id),
  protocol TEXT NOT NULL,
  callback TEXT NOT NULL,
  terms TEXT NOT NULL,
  raw INTEGER NOT NULL,
  start INTEGER NOT NULL,
  lease_ends_at INTEGER NOT NULL,
  errors INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  UNIQUE (feed_id, protocol, callback)
) STRICT;
CREATE INDEX subscription_of_feed ON subscription (feed_id, id);
CREATE INDEX subscription_lease ON subscription (lease_ends_at);

CREATE TABLE verification (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  feed_id INTEGER REFERENCES feed (id),
  topic TEXT NOT NULL,
  callback TEXT NOT NULL,
  mode TEXT NOT NULL,
  terms TEXT NOT NULL,
  verify_token TEXT,
  requested_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  UNIQUE (topic, callback)
) STRICT;
CREATE INDEX verification_due ON verification (next_attempt_at);
CREATE INDEX verification_of_feed ON verification (feed_id);

CREATE TABLE following (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  feed_id INTEGER NOT NULL REFERENCES feed (id),
  kind TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  topic TEXT NOT NULL,
  token TEXT NOT NULL UNIQUE,
  secret TEXT,
  state TEXT NOT NULL,
  lease_ends_at INTEGER,
  next_action_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  reason TEXT
) STRICT;
CREATE INDEX following_of_feed ON following (feed_id);
CREATE INDEX following_due ON following (next_action_at);

CREATE TABLE round (
  feed_id INTEGER PRIMARY KEY REFERENCES feed (id),
  from_seq INTEGER NOT NULL,
  to_seq INTEGER NOT NULL,
  checkpoint INTEGER NOT NULL
) STRICT;

-- next_attempt_at is absent while the subscriber misses nothing that is its own to fetch: it then
-- waits for the feed's next round to take it back.
CREATE TABLE laggard (
  subscription_id INTEGER PRIMARY KEY REFERENCES subscription (id) ON DELETE CASCADE,
  feed_id INTEGER NOT NULL REFERENCES feed (id),
  host TEXT NOT NULL,
  cursor INTEGER NOT NULL,
  sent_to INTEGER,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER,
  in_flight INTEGER NOT NULL,
  error TEXT
) STRICT;
CREATE INDEX laggard_due ON laggard (next_attempt_at) WHERE in_flight = 0 AND next_attempt_at IS NOT NULL;
CREATE INDEX laggard_of_feed ON laggard (feed_id);

CREATE TABLE work (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  feed_id INTEGER NOT NULL REFERENCES feed (id),
  kind TEXT NOT NULL,
  via TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  content_type TEXT,
  body BLOB
) STRICT;
CREATE INDEX work_of_feed ON work (feed_id, id);
