-- The newest block of Hive whose pings were taken.
CREATE TABLE podping (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  block BIGINT NOT NULL
);
