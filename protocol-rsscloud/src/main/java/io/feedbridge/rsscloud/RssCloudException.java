package io.feedbridge.rsscloud;

/** A message that breaks a rule of rssCloud. */
public abstract sealed class RssCloudException extends Exception
    permits BadRegistrationException,
        BadPingException,
        BadResultException,
        BadRpcException,
        BadRssException,
        MalformedException {

  private final String sentence;

  RssCloudException(String sentence) {
    super(sentence);
    this.sentence = sentence;
  }

  /**
   * The problem and its remedy, in a human-readable sentence; hostile text in it is shortened, not
   * escaped.
   */
  @Override
  public String getMessage() {
    return sentence;
  }
}
