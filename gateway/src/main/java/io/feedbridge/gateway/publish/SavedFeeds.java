package io.feedbridge.gateway.publish;

import io.feedbridge.gateway.access.AccessTokens;
import io.feedbridge.gateway.guard.Refusal;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.sql.Users;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.FeedParser;
import io.feedbridge.rsscloud.BadRssException;
import io.feedbridge.rsscloud.CloudOffer;
import java.net.URI;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.regex.Pattern;

/**
 * Feeds that publishers save here instead of pinging ({@code rssCloud.saveRss}): the text is
 * stored, served with the gateway's own cloud and hub put in, and saving it is a ping. Safe for use
 * by several threads.
 */
public final class SavedFeeds {

  /** A name that can stand in a path as it is. */
  private static final Pattern LOGIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}");

  private static final String PREFIX = "/files/";
  private static final String SUFFIX = "/rss.xml";

  private final Users users;
  private final AccessTokens tokens;
  private final Intake intake;
  private final URI publicUrl;
  private final Executor blocking;
  private final PasswordChecks passwords;
  private final Clock clock;
  private final FeedParser parser = new FeedParser();

  /**
   * Wires the part.
   *
   * @param blocking where tokens are looked up and feeds are read
   */
  public SavedFeeds(
      Users users,
      AccessTokens tokens,
      Intake intake,
      URI publicUrl,
      PasswordChecks passwords,
      Executor blocking,
      Clock clock) {
    this.users = users;
    this.tokens = tokens;
    this.intake = intake;
    this.publicUrl = publicUrl;
    this.passwords = passwords;
    this.blocking = blocking;
    this.clock = clock;
  }

  /** The result of a try to save. */
  public sealed interface Saved {

    /** It is stored, under this public URL. */
    record At(String url) implements Saved {}

    /** It is not; nothing has changed. */
    record Refused(String reason) implements Saved {}

    /** It is not, because the caller gave too many wrong passwords. */
    record TooMany(Refusal refusal) implements Saved {}
  }

  /** Whether a user may have this name. */
  public static boolean isLogin(String login) {
    return LOGIN.matcher(login).matches();
  }

  /**
   * Saves the feed of a user. A token is looked up first, and does not wait for passwords.
   *
   * @param caller the caller's key; empty for one without limits
   * @param password or a token with the right to save
   * @param rss not changed afterwards
   * @return completes once the feed and the work to notify its subscribers are durable; fails if
   *     the store does
   */
  public CompletableFuture<Saved> save(
      Optional<String> caller, String login, String password, byte[] rss) {
    return CompletableFuture.supplyAsync(
            () -> isLogin(login) && tokens.allows(login, password, Right.SAVE), blocking)
        .thenCompose(
            token ->
                token
                    ? read(login, rss)
                    : passwords
                        .check(caller, login, password)
                        .thenCompose(checked -> checked(checked, login, rss)));
  }

  private CompletableFuture<Saved> checked(
      PasswordChecks.Outcome outcome, String login, byte[] rss) {
    if (outcome instanceof PasswordChecks.Outcome.TooMany many) {
      return CompletableFuture.completedFuture(new Saved.TooMany(many.refusal()));
    }
    return ((PasswordChecks.Outcome.Checked) outcome).right()
        ? read(login, rss)
        : CompletableFuture.completedFuture(
            new Saved.Refused("the user name or the password is wrong"));
  }

  private CompletableFuture<Saved> read(String login, byte[] rss) {
    return CompletableFuture.supplyAsync(() -> refusal(login, rss), blocking)
        .thenCompose(
            refusal ->
                refusal.isPresent()
                    ? CompletableFuture.completedFuture(new Saved.Refused(refusal.get()))
                    : store(login, rss));
  }

  private CompletableFuture<Saved> store(String login, byte[] rss) {
    String url = url(login);
    return users
        .save(login, rss, clock.instant())
        .thenCompose(saved -> intake.ping(url, Via.PING))
        .thenApply(pinged -> new Saved.At(url));
  }

  private Optional<String> refusal(String login, byte[] rss) {
    try {
      parser.parse(offer(login).in(rss), OwnFeed.CONTENT_TYPE, URI.create(url(login)));
      return Optional.empty();
    } catch (BadRssException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    } catch (FeedParseException e) {
      return Optional.of("the text is not a feed: " + e.getMessage());
    }
  }

  /** The last feed that a user saved, as it is served; empty if there is none. Blocks. */
  public Optional<OwnFeed> savedBy(String login) {
    return isLogin(login)
        ? users.savedBy(login).map(saved -> new OwnFeed(offered(login, saved), saved.at()))
        : Optional.empty();
  }

  /** The feed under a URL of the gateway; empty if it is none. Blocks. */
  Optional<OwnFeed> under(String url) {
    String prefix = publicUrl + PREFIX;
    return url.startsWith(prefix) && url.endsWith(SUFFIX) && url.length() > url("").length()
        ? savedBy(url.substring(prefix.length(), url.length() - SUFFIX.length()))
        : Optional.empty();
  }

  private byte[] offered(String login, Users.SavedFeed saved) {
    try {
      return offer(login).in(saved.bytes());
    } catch (BadRssException e) {
      throw new IllegalStateException("was read before it was saved", e);
    }
  }

  /** Put in when it is served, so that it follows the gateway to another address. */
  private CloudOffer offer(String login) {
    return new CloudOffer(url(login), publicUrl + "/hub", URI.create(publicUrl + "/pleaseNotify"));
  }

  private String url(String login) {
    return publicUrl + PREFIX + login + SUFFIX;
  }
}
