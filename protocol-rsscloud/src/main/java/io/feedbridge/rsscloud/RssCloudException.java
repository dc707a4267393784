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

  /** What is wrong and what to do, for people; hostile text in it is shortened, not escaped. */
  @Override
  public String getMessage() {
    return sentence;
  }
}
