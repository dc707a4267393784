package io.feedbridge.normalizer;

import java.net.URI;
import java.time.Instant;
import java.util.Arrays;

/**
 * What holds of every document, whatever its bytes: it is a feed or refused as documented; the feed
 * can be written, kept and compared. The profile {@code fuzz} looks for documents of which it does
 * not hold; {@link FuzzCorpusTest} replays what it has found.
 */
public final class NormalizerFuzz {
  private static final FeedParser PARSER = new FeedParser();
  private static final FeedCodec CODEC = new FeedCodec();
  private static final URI BASE = URI.create("https://fuzz.example/feed");

  /** By the first byte, so that the headers around a document are tried too. */
  private static final String[] TYPES = {
    "text/xml", "text/xml; charset=utf-8", "text/xml; charset=iso-8859-1", "application/json"
  };

  private NormalizerFuzz() {}

  /** Is called by Jazzer with each document that it makes up. */
  public static void fuzzerTestOneInput(byte[] data) {
    if (data.length == 0) {
      return;
    }
    // A document that begins as it should is read without headers
    boolean bare = data[0] == '<' || data[0] == '{';
    byte[] body = bare ? data : Arrays.copyOfRange(data, 1, data.length);
    String type = bare ? null : TYPES[(data[0] & 0xFF) % TYPES.length];
    Feed feed;
    try {
      feed = PARSER.parse(body, Served.at(BASE, type));
    } catch (FeedParseException documented) {
      require(String.valueOf(documented.getMessage()).endsWith("."), "the message is a sentence");
      return;
    }
    check(feed);
  }

  private static void check(Feed feed) {
    require(CODEC.decode(CODEC.encode(feed)).equals(feed), "the log gives back what it was given");
    Status status = Status.of(BASE.toString());
    SuperfeedrJson.write(feed, status);
    byte[] atom = SuperfeedrAtom.write(feed, status, Instant.EPOCH);
    try {
      Feed again = PARSER.parse(atom, Served.at(BASE, null));
      require(again.entries().size() == feed.entries().size(), "no entry is lost in Atom");
      require(again.repairs().isEmpty(), "what is written is well-formed");
    } catch (FeedParseException e) {
      throw new AssertionError("what is written can be read", e);
    }
    require(EntryDiff.of(feed, id -> null).changed().isEmpty(), "what is new is not changed");
    for (Entry entry : feed.entries()) {
      require(!entry.id().isEmpty(), "every entry has an id");
    }
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError("It does not hold that " + what + ".");
    }
  }
}
