-- The pace that a site permits, as learnt from its answers: the time between two requests and the
-- time at which it last refused, both in milliseconds, and the end of its rest.
CREATE TABLE site_pace (
  site TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  pace BIGINT NOT NULL,
  refused_pace BIGINT NOT NULL,
  refused_at BIGINT NOT NULL,
  rest_until BIGINT NOT NULL,
  learnt_at BIGINT NOT NULL
);
