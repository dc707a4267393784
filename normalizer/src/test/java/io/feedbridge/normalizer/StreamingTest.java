package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is true of every writer. */
class StreamingTest {
  private static final int MANY = 400;

  enum Writer {
    SUPERFEEDR_ATOM {
      @Override
      void write(Feed feed, OutputStream out) throws IOException {
        SuperfeedrAtom.write(feed, Status.of("f"), Instant.EPOCH, out);
      }
    },
    ATOM {
      @Override
      void write(Feed feed, OutputStream out) throws IOException {
        SuperfeedrAtom.write(feed, PushOffer.NONE, Instant.EPOCH, out);
      }
    },
    SUPERFEEDR_JSON {
      @Override
      void write(Feed feed, OutputStream out) throws IOException {
        SuperfeedrJson.write(feed, Status.of("f"), out);
      }
    },
    RSS {
      @Override
      void write(Feed feed, OutputStream out) throws IOException {
        RssWriter.write(feed, PushOffer.NONE, out);
      }
    },
    JSON_FEED {
      @Override
      void write(Feed feed, OutputStream out) throws IOException {
        JsonFeedWriter.write(feed, PushOffer.NONE, out);
      }
    };

    abstract void write(Feed feed, OutputStream out) throws IOException;
  }

  /** Keeps nothing, and notes how it is written to. */
  private static class Watched extends OutputStream {
    long written;
    int longest;
    boolean closed;

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      written += length;
      longest = Math.max(longest, length);
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private static Feed longFeed() {
    Feed feed = Fixtures.feed("atom.xml");
    return feed.withEntries(
        Collections.nCopies(MANY, feed.entries()).stream().flatMap(List::stream).toList());
  }

  @ParameterizedTest
  @EnumSource
  void a_document_is_written_as_it_is_made_and_the_stream_left_open(Writer writer)
      throws IOException {
    Watched out = new Watched();
    writer.write(longFeed(), out);
    assertThat(out.written).isGreaterThan(MANY * 200L);
    assertThat(out.longest).isLessThan(64 * 1024);
    assertThat(out.closed).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void a_stream_that_breaks_is_an_error_of_its_own(Writer writer) {
    OutputStream broken =
        new Watched() {
          @Override
          public void write(byte[] bytes, int offset, int length) throws IOException {
            throw new IOException("gone");
          }
        };
    assertThatThrownBy(() -> writer.write(longFeed(), broken))
        .isInstanceOf(IOException.class)
        .hasMessage("gone");
  }
}
