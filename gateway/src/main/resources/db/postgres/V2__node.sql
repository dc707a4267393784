-- The nodes that share the database. Times are milliseconds of the server's clock, which alone
-- decides when a lease has expired.
CREATE TABLE node (
  incarnation TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  since BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
ALTER TABLE owner ADD COLUMN incarnation TEXT COLLATE "C";
