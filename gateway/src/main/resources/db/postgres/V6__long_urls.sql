-- A key of an index has at most 2,704 bytes, and a topic and a callback of 2,048 bytes each have more.
CREATE FUNCTION request_key(topic TEXT, callback TEXT) RETURNS BYTEA LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT sha256(convert_to(topic || chr(10) || callback, 'UTF8')) $$;

ALTER TABLE verification DROP CONSTRAINT verification_topic_callback_key;
CREATE UNIQUE INDEX verification_request ON verification (request_key(topic, callback));
CREATE INDEX verification_callback ON verification USING hash (callback);
