-- The host and port of an endpoint, in lower case: without user information, path and query. Due
-- upstream subscriptions are read past the hosts that have all their requests under way.
ALTER TABLE following ADD COLUMN host TEXT GENERATED ALWAYS AS (
  lower(substr(
    substr(replace(replace(substr(endpoint, instr(endpoint, '://') + 3), '?', '/'), '#', '/'), 1,
      instr(replace(replace(substr(endpoint, instr(endpoint, '://') + 3), '?', '/'), '#', '/') || '/', '/') - 1),
    1 + instr(
      substr(replace(replace(substr(endpoint, instr(endpoint, '://') + 3), '?', '/'), '#', '/'), 1,
        instr(replace(replace(substr(endpoint, instr(endpoint, '://') + 3), '?', '/'), '#', '/') || '/', '/') - 1),
      '@')))
) VIRTUAL;
DROP INDEX following_due;
CREATE INDEX following_due ON following (next_action_at, host);
