package io.feedbridge.gateway.runtime;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gateway's own key, made at the first start and kept in the store. Earlier versions kept it in
 * a file beside that, which is taken over.
 */
public final class GatewayKey {

  private static final String FILE = "feedbridge.key";
  private static final int LENGTH = 32;

  private static final Logger log = LoggerFactory.getLogger(GatewayKey.class);

  private GatewayKey() {}

  /**
   * The key of a store; if it has none yet, that of the file, or else a new one.
   *
   * @throws StoreException if it can be neither read nor kept, or the file is damaged
   */
  public static byte[] of(Store store, Path folder, SecureRandom random) {
    Path file = folder.resolve(FILE);
    byte[] key;
    try {
      key = store.key(() -> Files.exists(file) ? read(file) : make(random)).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StoreException failure ? failure : e;
    }
    // Only now: the key is on disk.
    if (Files.exists(file)) {
      remove(file, key);
    }
    return key;
  }

  private static byte[] make(SecureRandom random) {
    byte[] key = new byte[LENGTH];
    random.nextBytes(key);
    return key;
  }

  private static byte[] read(Path file) {
    try {
      byte[] key = Files.readAllBytes(file);
      if (key.length != LENGTH) {
        throw new StoreException(
            "the key file %s is damaged: restore it from a backup, or remove it and every upstream"
                    .formatted(file)
                + " subscription will be made anew");
      }
      return key;
    } catch (IOException e) {
      throw StoreException.unusable("the key file " + file, e);
    }
  }

  private static void remove(Path file, byte[] key) {
    try {
      if (!Arrays.equals(Files.readAllBytes(file), key)) {
        log.atWarn()
            .addKeyValue("file", file)
            .log("The key file is not the store's key: it is not used");
        return;
      }
      Files.delete(file);
      log.atInfo()
          .addKeyValue("file", file)
          .log("The key is in the store now, its file is removed");
    } catch (IOException e) {
      log.atWarn()
          .addKeyValue("file", file)
          .setCause(e)
          .log("The key is in the store now, its file could not be removed");
    }
  }
}
