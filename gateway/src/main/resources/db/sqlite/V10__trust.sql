-- How far each following is trusted.
ALTER TABLE following ADD COLUMN trust TEXT NOT NULL DEFAULT '{}';
CREATE INDEX following_of_endpoint ON following (endpoint, kind);

-- Upstream hubs and clouds and what came of them.
CREATE TABLE endpoint (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  url TEXT NOT NULL,
  first_by_push INTEGER NOT NULL DEFAULT 0,
  first_by_poll INTEGER NOT NULL DEFAULT 0,
  signature_failures INTEGER NOT NULL DEFAULT 0,
  verification_failures INTEGER NOT NULL DEFAULT 0,
  last_delivery_at INTEGER,
  demotions INTEGER NOT NULL DEFAULT 0,
  demoted_until INTEGER,
  since INTEGER NOT NULL,
  UNIQUE (url, kind)
) STRICT;
CREATE INDEX endpoint_demoted ON endpoint (demoted_until) WHERE demoted_until IS NOT NULL;
