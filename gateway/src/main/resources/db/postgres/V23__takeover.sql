-- The processes that became the owner, each with the reason in words.
CREATE TABLE takeover (
  epoch BIGINT PRIMARY KEY,
  node TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  cause TEXT COLLATE "C" NOT NULL
);
