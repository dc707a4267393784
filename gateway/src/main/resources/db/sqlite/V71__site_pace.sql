-- The pace that a site permits, as learnt from its answers: the time between two requests and the
-- time at which it last refused, both in milliseconds, and the end of its rest.
CREATE TABLE site_pace (
  site TEXT NOT NULL PRIMARY KEY,
  pace INTEGER NOT NULL,
  refused_pace INTEGER NOT NULL,
  refused_at INTEGER NOT NULL,
  rest_until INTEGER NOT NULL,
  learnt_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
