-- Secrets are encrypted from here on, under a key that is not in this file. The witness is a text that
-- everybody knows under that key. The others say up to which row the secrets of before are encrypted, by
-- id, and are empty when all of them are.
CREATE TABLE seal (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  witness BLOB NOT NULL,
  subscriptions INTEGER DEFAULT 0,
  verifications INTEGER DEFAULT 0,
  others INTEGER DEFAULT 0
) STRICT;
