package io.feedbridge.gateway.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets every test wait long for what it awaits: on a machine that does other things too, ten
 * seconds are not long, and a test that is right waits no longer than it must. Found by JUnit
 * itself.
 */
public final class PatienceExtension implements BeforeAllCallback {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultTimeout(PATIENCE);
  }
}
