-- Verifications under way are bounded per host of the callback, as the gateway names it: those of
-- a host that is full are passed over.
ALTER TABLE verification ADD COLUMN host TEXT GENERATED ALWAYS AS (
  lower(substr(
    substr(replace(replace(substr(callback, instr(callback, '://') + 3), '?', '/'), '#', '/'), 1,
      instr(replace(replace(substr(callback, instr(callback, '://') + 3), '?', '/'), '#', '/') || '/', '/') - 1),
    1 + instr(
      substr(replace(replace(substr(callback, instr(callback, '://') + 3), '?', '/'), '#', '/'), 1,
        instr(replace(replace(substr(callback, instr(callback, '://') + 3), '?', '/'), '#', '/') || '/', '/') - 1),
      '@')))
) VIRTUAL;
DROP INDEX verification_due;
CREATE INDEX verification_due ON verification (next_attempt_at, host);

-- The token that a subscriber of PuSH 0.3 was given is part of each verification, also of those that
-- the hub makes of itself to refresh the subscription; and when it makes the next.
ALTER TABLE subscription ADD COLUMN verify_token TEXT;
ALTER TABLE subscription ADD COLUMN refresh_at INTEGER;
CREATE INDEX subscription_refresh ON subscription (refresh_at) WHERE refresh_at IS NOT NULL;

-- Why a subscription was ended by the gateway: its callback is told.
ALTER TABLE verification ADD COLUMN reason TEXT;

-- Who may publish a topic's content without its being fetched: whoever signs it with this.
CREATE TABLE publisher (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  topic TEXT NOT NULL,
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX publisher_of_topic ON publisher (topic);
