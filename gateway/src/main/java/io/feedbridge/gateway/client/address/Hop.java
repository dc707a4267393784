package io.feedbridge.gateway.client.address;

/**
 * A redirect that was followed.
 *
 * @param status 301, 302, 303, 307 or 308; 301 and 308 are permanent (RFC 9110 §15.4)
 * @param from the URL that answered with it
 * @param location the absolute URL it led to
 */
public record Hop(int status, String from, String location) {

  /** Whether the old URL is to be forgotten. */
  public boolean permanent() {
    return status == 301 || status == 308;
  }
}
