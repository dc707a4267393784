-- The processes that became the owner, each with the reason in words.
CREATE TABLE takeover (
  epoch INTEGER PRIMARY KEY,
  node TEXT NOT NULL,
  at INTEGER NOT NULL,
  cause TEXT NOT NULL
);
