package io.feedbridge.gateway.cli;

import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.JsonFeedWriter;
import io.feedbridge.normalizer.PushOffer;
import io.feedbridge.normalizer.RssWriter;
import io.feedbridge.normalizer.Status;
import io.feedbridge.normalizer.SuperfeedrAtom;
import io.feedbridge.normalizer.SuperfeedrJson;
import java.time.Instant;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The formats that {@code normalize} writes. */
enum OutputFormat {
  JSON {
    @Override
    byte[] write(Feed feed, Status status, Instant now) {
      return SuperfeedrJson.write(feed, status);
    }
  },
  ATOM {
    @Override
    byte[] write(Feed feed, Status status, Instant now) {
      return SuperfeedrAtom.write(feed, status, now);
    }
  },
  RSS {
    @Override
    byte[] write(Feed feed, Status status, Instant now) {
      return RssWriter.write(feed, PushOffer.of(feed));
    }
  },
  JSONFEED {
    @Override
    byte[] write(Feed feed, Status status, Instant now) {
      return JsonFeedWriter.write(feed, PushOffer.of(feed));
    }
  };

  /**
   * One document, in UTF-8.
   *
   * @param now when entries without any date count as seen
   */
  abstract byte[] write(Feed feed, Status status, Instant now);

  /** The name of the format on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Reads the name of a format. */
  static final class Named implements ITypeConverter<OutputFormat> {
    @Override
    public OutputFormat convert(String name) {
      for (OutputFormat format : values()) {
        if (format.toString().equalsIgnoreCase(name)) {
          return format;
        }
      }
      throw new TypeConversionException("there is no format '%s'".formatted(name));
    }
  }
}
