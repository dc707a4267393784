-- The public URL that the gateway's upstream callbacks were handed out under.
CREATE TABLE reached (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  public_url TEXT NOT NULL
) STRICT;
