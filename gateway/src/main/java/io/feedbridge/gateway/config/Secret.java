package io.feedbridge.gateway.config;

/**
 * A secret of the operator's; it is never shown.
 *
 * @param text the secret itself
 */
public record Secret(String text) {

  @Override
  public String toString() {
    return "(secret)";
  }
}
