-- The tokens of Superfeedr's calls and of rssCloud.saveRss; of each its hash alone.
CREATE TABLE token (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  login TEXT NOT NULL,
  hash BLOB NOT NULL,
  rights TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX token_of_login ON token (login, id);

-- The login with whose credentials a subscription was made: empty for the operator's own, absent where
-- it was made without. Of a request also whether these stand in for asking its callback.
ALTER TABLE subscription ADD COLUMN owner TEXT;
CREATE INDEX subscription_of_owner ON subscription (owner, id) WHERE owner IS NOT NULL;
ALTER TABLE verification ADD COLUMN owner TEXT;
ALTER TABLE verification ADD COLUMN vouched INTEGER NOT NULL DEFAULT 0;
