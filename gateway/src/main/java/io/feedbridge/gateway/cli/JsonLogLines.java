package io.feedbridge.gateway.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import co.elastic.logging.JsonUtils;
import co.elastic.logging.logback.EcsEncoder;
import io.feedbridge.gateway.runtime.Version;
import java.util.List;
import org.slf4j.event.KeyValuePair;

/**
 * Log lines as flat JSON by the Elastic Common Schema. The names of a line's values begin with
 * {@code feedbridge.}, because the schema has fields such as {@code error} of its own. Made by
 * {@code logback-json.xml}.
 */
public final class JsonLogLines extends EcsEncoder {

  /** An encoder of this version's lines. */
  public JsonLogLines() {
    setServiceName("feedbridge");
    setServiceVersion(Version.current());
  }

  @Override
  protected void addCustomFields(ILoggingEvent event, StringBuilder line) {
    List<KeyValuePair> pairs = event.getKeyValuePairs();
    if (pairs == null) {
      return;
    }
    for (KeyValuePair pair : pairs) {
      line.append("\"feedbridge.");
      JsonUtils.quoteAsString(pair.key, line);
      line.append("\":");
      if (pair.value instanceof Integer || pair.value instanceof Long) {
        line.append(pair.value);
      } else {
        line.append('"');
        JsonUtils.quoteAsString(String.valueOf(pair.value), line);
        line.append('"');
      }
      line.append(',');
    }
  }
}
