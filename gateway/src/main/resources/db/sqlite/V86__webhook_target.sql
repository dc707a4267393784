-- What a webhook's messages are sent to, encrypted; null for the gateway's own form.
ALTER TABLE webhook ADD COLUMN target TEXT;
