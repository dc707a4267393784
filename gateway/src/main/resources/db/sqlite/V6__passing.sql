-- A round passes over all subscriptions of a host at once: the host and port of the callback, without
-- user and password, as the gateway names it.
ALTER TABLE subscription ADD COLUMN host TEXT GENERATED ALWAYS AS (
  lower(substr(
    substr(replace(replace(substr(callback, instr(callback, '://') + 3), '?', '/'), '#', '/'), 1,
      instr(replace(replace(substr(callback, instr(callback, '://') + 3), '?', '/'), '#', '/') || '/', '/') - 1),
    1 + instr(
      substr(replace(replace(substr(callback, instr(callback, '://') + 3), '?', '/'), '#', '/'), 1,
        instr(replace(replace(substr(callback, instr(callback, '://') + 3), '?', '/'), '#', '/') || '/', '/') - 1),
      '@')))
) VIRTUAL;

-- Walks look at very many of them only to pass them over.
DROP INDEX subscription_of_feed;
CREATE INDEX subscription_of_feed ON subscription (feed_id, id, host);

ALTER TABLE round ADD COLUMN passed TEXT NOT NULL DEFAULT '{}';
