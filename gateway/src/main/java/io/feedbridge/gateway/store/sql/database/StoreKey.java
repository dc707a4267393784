package io.feedbridge.gateway.store.sql.database;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.gateway.vault.Sealed;
import io.feedbridge.gateway.vault.SealedException;
import io.feedbridge.gateway.vault.Vault;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** The key that the secrets of a store are encrypted with, of which the store keeps a witness. */
public final class StoreKey {

  private static final byte[] WITNESS = "feedbridge".getBytes(US_ASCII);
  private static final String WITNESS_KIND = "witness";

  private StoreKey() {}

  /**
   * Opens the vault of a store. A store without a key takes the key in the file, or a new key that
   * is written to the file. Blocks.
   *
   * @param writing a session that may write
   * @param store as messages name it
   * @throws StoreException if the key is not there or is another one, with a message for the
   *     operator; nothing was changed
   */
  public static Vault open(Handle writing, KeyFile file, String store) {
    Vault vault;
    Optional<byte[]> witness = witness(writing);
    try {
      Optional<Vault> kept = file.read();
      if (witness.isPresent() && kept.isEmpty()) {
        throw new StoreException(
            ("the key file %s is missing, without which the secrets in the store %s cannot be read;"
                    + " everything was left as it is: restore the file from a backup, or name it with"
                    + " --key-file")
                .formatted(file, store));
      }
      vault = kept.isPresent() ? kept.get() : file.make(new SecureRandom());
    } catch (IOException e) {
      throw new StoreException(String.valueOf(e.getMessage()), e);
    }
    if (witness.isPresent()) {
      check(vault, witness.get(), file, store);
    } else {
      // The key is on disk already.
      writing
          .createUpdate("INSERT INTO seal (id, witness) VALUES (1, :witness)")
          .bind("witness", vault.seal(WITNESS, WITNESS_KIND).bytes())
          .execute();
    }
    return vault;
  }

  private static Optional<byte[]> witness(Handle writing) {
    return writing.createQuery("SELECT witness FROM seal").mapTo(byte[].class).findOne();
  }

  private static void check(Vault vault, byte[] witness, KeyFile file, String store) {
    try {
      vault.open(Sealed.of(witness), WITNESS_KIND);
    } catch (SealedException e) {
      throw new StoreException(
          ("the key file %s is not the one that the secrets in the store %s are encrypted with;"
                  + " everything was left as it is: restore that one from a backup, or name it with"
                  + " --key-file")
              .formatted(file, store),
          e);
    }
  }
}
