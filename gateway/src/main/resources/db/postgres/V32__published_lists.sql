-- Lists of feeds that the gateway publishes.
CREATE TABLE published_list (
  name TEXT COLLATE "C" PRIMARY KEY,
  title TEXT COLLATE "C" NOT NULL,
  -- The feeds, in their order, as JSON.
  feeds TEXT COLLATE "C" NOT NULL,
  changed_at BIGINT NOT NULL
);
