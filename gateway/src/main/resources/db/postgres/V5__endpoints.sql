-- The host and port of an endpoint. Due upstream subscriptions are read past the hosts that have all
-- their requests under way.
ALTER TABLE following
  ADD COLUMN host TEXT COLLATE "C" GENERATED ALWAYS AS (callback_host(endpoint)) STORED;
DROP INDEX following_due;
CREATE INDEX following_due ON following (next_action_at, host);
