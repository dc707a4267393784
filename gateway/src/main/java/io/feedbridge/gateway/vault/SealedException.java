package io.feedbridge.gateway.vault;

import org.jspecify.annotations.Nullable;

/** A secret cannot be decrypted: with another key or for another owner, or it is damaged. */
public final class SealedException extends RuntimeException {

  SealedException(@Nullable Throwable cause) {
    super("a secret in the store does not open with this key", cause);
  }
}
