-- The URL under which other nodes reach the node.
ALTER TABLE node ADD COLUMN address TEXT COLLATE "C";
