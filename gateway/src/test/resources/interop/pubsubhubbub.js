// A subscriber made of the npm package pubsubhubbub. Says on its output what it is told.
// Arguments: hub, topic, secret (may be empty).
const crypto = require('crypto');
const pubsubhubbub = require('pubsubhubbub');

const [hub, topic, secret] = process.argv.slice(2);
const subscriber = pubsubhubbub.createServer({ secret, leaseSeconds: 3600 });
const say = (...words) => console.log(words.join(' '));

subscriber.on('listen', () => {
  subscriber.callbackUrl = 'http://127.0.0.1:' + subscriber.server.address().port + '/in';
  say('listening');
  subscriber.subscribe(topic, hub, (error) => {
    say('asked', error ? error.message + ' ' + error.responseBody : 'well');
    if (secret) {
      // Version 1.0.2 sends this as the secret, and then verifies with the other.
      subscriber.secret = crypto.createHmac('sha1', secret).update(topic).digest('hex');
    }
  });
});
subscriber.on('subscribe', (data) => say('subscribed', data.topic));
subscriber.on('denied', (data) => say('denied', data.topic));
subscriber.on('error', (error) => say('error', error.message));
subscriber.on('unsubscribe', (data) => say('unsubscribed', data.topic));
subscriber.on('feed', (data) => {
  const ids = [...data.feed.toString().matchAll(/>(entry[^<]*)<.(?:dc:identifier|guid|id)>/g)].map((id) => id[1]);
  say('feed', data.topic, ids.join(','));
  if (ids.includes('entry3')) {
    subscriber.unsubscribe(topic, hub, (error) => say('left', error ? error.message : 'well'));
  }
});
subscriber.listen(0, '127.0.0.1');
