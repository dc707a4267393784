package io.feedbridge.normalizer;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.TextStyle;
import java.util.List;
import java.util.Locale;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;

/** Writes the elements of an RSS channel before its items. */
final class RssChannelWriter {
  /** RFC 822 with the four digits that RSS 2.0 prefers; RFC 1123's own formatter drops zeros. */
  private static final DateTimeFormatter RFC_822 =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);

  private final XMLStreamWriter xml;
  private final RssVersion version;
  private final XmlOut rss;
  private final XmlOut dc;
  private final XmlOut atom;
  private final XmlOut itunes;
  private final AtomElements elements;

  RssChannelWriter(XMLStreamWriter xml, RssVersion version) {
    this.xml = xml;
    this.version = version;
    rss = version.to(xml);
    dc = RssNamespace.DC.to(xml);
    elements = new AtomElements(xml, RssNamespace.ATOM.prefix());
    atom = elements.out();
    itunes = RssNamespace.ITUNES.to(xml);
  }

  void write(Feed feed, PushOffer offer) throws XMLStreamException {
    String self = offer.self();
    String page = page(feed, self);
    rss.start("channel");
    if (version == RssVersion.ONE) {
      rdf("about", page);
    }
    rss.required("title", feed.title());
    rss.required("link", page);
    rss.required("description", feed.subtitle());
    if (version == RssVersion.ONE) {
      modules(feed);
    } else {
      core(feed);
    }
    for (String category : feed.categories()) {
      RssItemWriter.category(version, xml, elements, category, feed.extensions());
    }
    cloud(offer);
    hints(feed.hints());
    image(feed, page);
    if (feed.id() != null && !feed.id().equals(self)) {
      atom.text("id", feed.id());
    }
    links(feed, offer);
    elements.contributors(feed.contributors());
    elements.extensions(feed.extensions());
  }

  private void core(Feed feed) throws XMLStreamException {
    rss.text("language", feed.language());
    people(feed);
    rss.text("lastBuildDate", date(feed.updated()));
    rss.text("copyright", Extension.textOf(feed.extensions(), "atom:rights"));
    rss.text("generator", Extension.textOf(feed.extensions(), "atom:generator"));
  }

  private void modules(Feed feed) throws XMLStreamException {
    dc.text("language", feed.language());
    for (Author author : feed.authors()) {
      dc.text("creator", RssItemWriter.name(author));
    }
    dc.date("date", feed.updated());
    elements.told(feed.extensions(), true);
  }

  /** The items of RSS 1.0 by their ids; an item without one has no name to refer to it by. */
  void items(List<Entry> entries) throws XMLStreamException {
    XmlOut rdf = new XmlOut(xml, Vocabulary.RDF.prefix(), Vocabulary.RDF.uri());
    rss.start("items");
    rdf.start("Seq");
    for (Entry entry : entries) {
      if (!entry.id().isEmpty()) {
        rdf.empty("li");
        rdf("resource", entry.id());
      }
    }
    rdf.end();
    rss.end();
  }

  /** The picture of a channel of RSS 1.0, which refers to it. */
  void pictureBeside(Feed feed, PushOffer offer) throws XMLStreamException {
    Link picture = picture(feed);
    if (picture != null) {
      rss.start("image");
      rdf("about", picture.href());
      picture(feed, picture, page(feed, offer.self()));
      rss.end();
    }
  }

  private void rdf(String attribute, String value) throws XMLStreamException {
    xml.writeAttribute(
        Vocabulary.RDF.prefix(), Vocabulary.RDF.uri(), attribute, XmlChars.legal(value));
  }

  static @Nullable String date(@Nullable Instant date) {
    return date == null ? null : RFC_822.format(date);
  }

  /** RSS requires a link: without a site of its own, a feed's page is the feed. */
  private static String page(Feed feed, @Nullable String self) {
    String site = feed.permalink();
    if (site != null) {
      return site;
    }
    if (self != null) {
      return self;
    }
    String id = feed.id();
    return id != null && Urls.isHttp(id) ? id : "";
  }

  private void people(Feed feed) throws XMLStreamException {
    List<Author> authors = feed.authors();
    if (authors.size() == 1 && authors.get(0).email() != null) {
      rss.text("managingEditor", RssItemWriter.mail(authors.get(0)));
      return;
    }
    for (Author author : authors) {
      dc.text("creator", RssItemWriter.name(author));
    }
  }

  /** RSS 2.0 has one cloud for a channel, the source namespace one with a full URL. */
  private void cloud(PushOffer offer) throws XMLStreamException {
    if (version == RssVersion.TWO && !offer.clouds().isEmpty()) {
      Hints.Cloud cloud = offer.clouds().get(0);
      Integer port = cloud.port();
      xml.writeEmptyElement("cloud");
      xml.writeAttribute("domain", XmlChars.legal(cloud.domain()));
      rss.attribute("port", port == null ? null : port.toString());
      xml.writeAttribute("path", XmlChars.legal(cloud.path()));
      xml.writeAttribute("registerProcedure", XmlChars.legal(cloud.registerProcedure()));
      xml.writeAttribute("protocol", XmlChars.legal(cloud.protocol()));
    }
    RssNamespace.SOURCE.to(xml).text("cloud", offer.sourceCloud());
  }

  private void hints(Hints hints) throws XMLStreamException {
    if (version == RssVersion.TWO) {
      coreHints(hints);
    }
    XmlOut sy = RssNamespace.SY.to(xml);
    UpdateRate rate = UpdateRate.of(hints.updatePeriod());
    if (rate != null) {
      sy.text("updatePeriod", rate.period());
      sy.number("updateFrequency", rate.frequency());
    }
    sy.date("updateBase", hints.updateBase());
  }

  private void coreHints(Hints hints) throws XMLStreamException {
    Duration ttl = hints.ttl();
    rss.number("ttl", ttl == null ? null : ttl.toMinutes());
    if (!hints.skipHours().isEmpty()) {
      rss.start("skipHours");
      for (int hour : hints.skipHours()) {
        rss.number("hour", hour);
      }
      rss.end();
    }
    if (!hints.skipDays().isEmpty()) {
      rss.start("skipDays");
      for (DayOfWeek day : hints.skipDays()) {
        rss.text("day", day.getDisplayName(TextStyle.FULL, Locale.ENGLISH));
      }
      rss.end();
    }
  }

  /**
   * A time between updates as the syndication module has it.
   *
   * @param frequency updates in the period
   */
  private record UpdateRate(String period, long frequency) {
    private static final List<UpdateRate> PERIODS =
        List.of(
            new UpdateRate("hourly", 3_600),
            new UpdateRate("daily", 86_400),
            new UpdateRate("weekly", 7 * 86_400),
            new UpdateRate("monthly", 30 * 86_400),
            new UpdateRate("yearly", 365 * 86_400));

    /** The shortest period that the time divides; null where there is none. */
    static @Nullable UpdateRate of(@Nullable Duration between) {
      if (between == null || between.isZero() || between.isNegative()) {
        return null;
      }
      for (UpdateRate whole : PERIODS) {
        Duration period = Duration.ofSeconds(whole.frequency);
        long times = period.dividedBy(between);
        if (times > 0 && period.dividedBy(times).equals(between)) {
          return new UpdateRate(whole.period, times);
        }
      }
      return null;
    }
  }

  private static @Nullable Link picture(Feed feed) {
    for (Link link : feed.links()) {
      if (link.rel().equals(Link.PICTURE)) {
        return link;
      }
    }
    return null;
  }

  private void picture(Feed feed, Link picture, String page) throws XMLStreamException {
    rss.text("url", picture.href());
    rss.required("title", picture.title() == null ? feed.title() : picture.title());
    rss.required("link", page);
  }

  private void image(Feed feed, String page) throws XMLStreamException {
    Link picture = picture(feed);
    boolean podcast = feed.entries().stream().anyMatch(RssItemWriter::isEpisode);
    if (picture != null) {
      rss.start("image");
      if (version == RssVersion.ONE) {
        rdf("resource", picture.href());
      } else {
        picture(feed, picture, page);
      }
      rss.end();
      if (podcast && !has(feed, "itunes:image")) {
        itunes.empty("image");
        itunes.attribute("href", picture.href());
      }
    }
    if (podcast && !feed.authors().isEmpty() && !has(feed, "itunes:author")) {
      itunes.text("author", RssItemWriter.name(feed.authors().get(0)));
    }
  }

  private static boolean has(Feed feed, String extension) {
    return feed.extensions().stream().anyMatch(one -> one.name().equals(extension));
  }

  private void links(Feed feed, PushOffer offer) throws XMLStreamException {
    String self = offer.self();
    if (self != null) {
      elements.link(Link.of(Link.SELF, self, version.mediaType()));
    }
    for (String hub : offer.hubs()) {
      elements.link(Link.of(Link.HUB, hub, null));
    }
    String page = feed.permalink();
    boolean pictured = false;
    for (Link link : feed.links()) {
      boolean picture = link.rel().equals(Link.PICTURE);
      boolean written = picture ? !pictured : RssItemWriter.isPage(link, page);
      pictured |= picture;
      if (!written && !PushOffer.isOffer(link)) {
        elements.link(link);
      }
    }
  }
}
