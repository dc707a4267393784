package io.feedbridge.gateway.publish;

import io.feedbridge.gateway.access.AccessTokens;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.Users;
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
  private final Executor slow;
  private final Clock clock;
  private final FeedParser parser = new FeedParser();

  /**
   * Wires the part.
   *
   * @param slow where passwords are hashed, which takes time and memory: few threads, a short queue
   */
  public SavedFeeds(
      Users users, AccessTokens tokens, Intake intake, URI publicUrl, Executor slow, Clock clock) {
    this.users = users;
    this.tokens = tokens;
    this.intake = intake;
    this.publicUrl = publicUrl;
    this.slow = slow;
    this.clock = clock;
  }

  /** What came of a try to save. */
  public sealed interface Saved {

    /** It is stored, under this public URL. */
    record At(String url) implements Saved {}

    /** It is not; nothing has changed. */
    record Refused(String reason) implements Saved {}
  }

  /** Whether somebody can have this name. */
  public static boolean isLogin(String login) {
    return LOGIN.matcher(login).matches();
  }

  /**
   * Saves the feed of a user.
   *
   * @param password or a token with the right to save
   * @param rss not changed afterwards
   * @return once it is durable, and its followers are as good as told; fails if the store does
   */
  public CompletableFuture<Saved> save(String login, String password, byte[] rss) {
    return CompletableFuture.supplyAsync(() -> refusal(login, password, rss), slow)
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

  private Optional<String> refusal(String login, String password, byte[] rss) {
    if (!isKnown(login, password)) {
      return Optional.of("the user name or the password is wrong");
    }
    try {
      parser.parse(offer(login).in(rss), OwnFeed.CONTENT_TYPE, URI.create(url(login)));
      return Optional.empty();
    } catch (BadRssException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    } catch (FeedParseException e) {
      return Optional.of("the text is no feed: " + e.getMessage());
    }
  }

  private boolean isKnown(String login, String password) {
    if (!isLogin(login)) {
      return Passwords.matches(password, Optional.empty());
    }
    return tokens.allows(login, password, Right.SAVE)
        || Passwords.matches(password, users.passwordOf(login));
  }

  /** What a user saved last, as it is served; empty if that is nothing. Blocks. */
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
