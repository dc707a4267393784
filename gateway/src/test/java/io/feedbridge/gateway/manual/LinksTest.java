package io.feedbridge.gateway.manual;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Each link of the manual to a file, and to a heading within one, leads there. */
class LinksTest {

  private static final Pattern LINK = Pattern.compile("\\[[^\\]\\n]*\\]\\(([^)\\s]+)\\)");

  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.+)$");

  @Test
  void every_link_leads_to_a_file_and_a_heading() throws IOException {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path page : Pages.all()) {
      for (String link :
          LINK.matcher(Pages.prose(page)).results().map(found -> found.group(1)).toList()) {
        if (link.contains("://")) {
          continue;
        }
        links++;
        String[] parts = (link + "#").split("#", 3);
        Path target =
            parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).toAbsolutePath().normalize();
        if (!Files.exists(target)) {
          broken.add(page + ": no file " + link);
        } else if (!parts[1].isEmpty() && !anchors(target).contains(parts[1])) {
          broken.add(page + ": no heading " + link);
        }
      }
    }
    assertThat(broken).isEmpty();
    assertThat(links).isGreaterThan(50);
  }

  @Test
  void each_page_of_the_gateway_is_linked_from_its_README() throws IOException {
    Path gateway = Pages.TOP.resolve("gateway");
    String readme = Files.readString(gateway.resolve("README.md"));
    assertThat(Pages.all())
        .filteredOn(page -> gateway.resolve("docs").equals(page.getParent()))
        .isNotEmpty()
        .allSatisfy(page -> assertThat(readme).contains("(docs/" + page.getFileName() + ")"));
  }

  /** The anchors that GitHub gives to the headings of a page. */
  private static Set<String> anchors(Path page) throws IOException {
    Set<String> anchors = new HashSet<>();
    HEADING
        .matcher(Pages.prose(page))
        .results()
        .map(
            heading ->
                heading
                    .group(1)
                    .strip()
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-'))
        .forEach(
            anchor -> {
              String unique = anchor;
              for (int i = 1; !anchors.add(unique); i++) {
                unique = anchor + "-" + i;
              }
            });
    return anchors;
  }
}
