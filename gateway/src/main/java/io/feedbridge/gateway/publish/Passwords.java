package io.feedbridge.gateway.publish;

import io.feedbridge.gateway.store.sql.Users.PasswordHash;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

/**
 * Passwords as Argon2id hashes (RFC 9106). Each hash takes 19 MiB and some time, so that an
 * attacker with a copy of the store cannot try many passwords. The parameters are kept with each
 * hash.
 */
public final class Passwords {

  /** Characters of a password at most. */
  public static final int MAX_LENGTH = 1_024;

  private static final int MEMORY_KIB = 19 * 1024;
  private static final int PASSES = 2;
  private static final int LANES = 1;
  private static final int SALT_BYTES = 16;
  private static final int HASH_BYTES = 32;

  /** Bounds the parameters of a stored hash, so that a damaged store cannot demand more work. */
  private static final Pattern METHOD =
      Pattern.compile("argon2id,m=([0-9]{1,6}),t=([0-9]{1,2}),p=([0-9])");

  private Passwords() {}

  /**
   * Hashes a password. Takes time.
   *
   * @param random for the salt
   */
  public static PasswordHash hash(String password, RandomGenerator random) {
    byte[] salt = new byte[SALT_BYTES];
    random.nextBytes(salt);
    return new PasswordHash(
        "argon2id,m=%d,t=%d,p=%d".formatted(MEMORY_KIB, PASSES, LANES),
        salt,
        argon2id(password, salt, MEMORY_KIB, PASSES, LANES));
  }

  /**
   * Whether a password matches. Takes the same time for an unknown user, so that a caller cannot
   * find out names.
   *
   * @param known empty if there is no such user
   */
  static boolean matches(String password, Optional<PasswordHash> known) {
    if (password.length() > MAX_LENGTH) {
      return false;
    }
    Optional<Matcher> method =
        known.map(hash -> METHOD.matcher(hash.method())).filter(Matcher::matches);
    if (known.isEmpty() || method.isEmpty()) {
      byte[] nothing = new byte[SALT_BYTES];
      var unused = argon2id(password, nothing, MEMORY_KIB, PASSES, LANES);
      return false;
    }
    Matcher parameters = method.get();
    byte[] hash =
        argon2id(
            password,
            known.get().salt(),
            Integer.parseInt(parameters.group(1)),
            Integer.parseInt(parameters.group(2)),
            Integer.parseInt(parameters.group(3)));
    return MessageDigest.isEqual(hash, known.get().hash());
  }

  private static byte[] argon2id(
      String password, byte[] salt, int memoryKib, int passes, int lanes) {
    Argon2BytesGenerator generator = new Argon2BytesGenerator();
    generator.init(
        new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
            .withVersion(Argon2Parameters.ARGON2_VERSION_13)
            .withSalt(salt)
            .withMemoryAsKB(memoryKib)
            .withIterations(passes)
            .withParallelism(lanes)
            .build());
    byte[] hash = new byte[HASH_BYTES];
    generator.generateBytes(password.getBytes(StandardCharsets.UTF_8), hash);
    return hash;
  }
}
