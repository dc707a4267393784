-- The name of the node that the owner runs on, once it has told it.
ALTER TABLE owner ADD COLUMN node TEXT;
