package io.feedbridge.gateway.vault;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file of the key that secrets are encrypted with: base64 on one line, its owner's alone. */
public final class KeyFile {

  private static final Logger log = LoggerFactory.getLogger(KeyFile.class);

  /** Its name in the data folder. */
  public static final String NAME = "feedbridge-secrets.key";

  /** Longer files are none. */
  private static final int MAX_BYTES = 1_024;

  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  private static final Set<PosixFilePermission> OTHERS =
      PosixFilePermissions.fromString("---rwxrwx");

  private final Path file;

  /** A file that may exist or not. */
  public KeyFile(Path file) {
    this.file = file;
  }

  /** The key file of a data folder, unless the operator names another. */
  public static KeyFile in(Path folder) {
    return new KeyFile(folder.resolve(NAME));
  }

  /** The file that the operator names, or else the one of the data folder. */
  public static KeyFile of(Optional<Path> named, Path folder) {
    return named.map(KeyFile::new).orElse(in(folder));
  }

  /**
   * The vault of the key in the file; empty if there is no such file. Blocks.
   *
   * @throws IOException if it cannot be read, or is none, with a message for the operator
   */
  public Optional<Vault> read() throws IOException {
    if (Files.notExists(file)) {
      return Optional.empty();
    }
    byte[] text;
    try (var in = Files.newInputStream(file)) {
      text = in.readNBytes(MAX_BYTES);
    } catch (IOException e) {
      throw new IOException(
          "the key file %s cannot be read: %s".formatted(file, e.getMessage()), e);
    }
    warnOfOthers();
    try {
      byte[] key = Base64.getDecoder().decode(new String(text, US_ASCII).strip());
      if (key.length == Vault.KEY_BYTES) {
        return Optional.of(new Vault(key));
      }
    } catch (IllegalArgumentException notBase64) {
      // Told below, like a key of another length.
    }
    throw new IOException("the key file %s is damaged: restore it from a backup".formatted(file));
  }

  /**
   * Warns of permissions of other users. The file stays as it is, because its administrator may
   * have set them on purpose.
   */
  private void warnOfOthers() throws IOException {
    if (hasPermissions()
        && Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS::contains)) {
      log.atWarn()
          .addKeyValue("file", file)
          .log("Others than its owner may read the key file: take that from them");
    }
  }

  /**
   * Makes a new key. It is on disk when this returns. Blocks.
   *
   * @throws IOException if the file exists or cannot be made, with a message for the operator
   */
  public Vault make(SecureRandom random) throws IOException {
    byte[] key = new byte[Vault.KEY_BYTES];
    random.nextBytes(key);
    ByteBuffer text =
        ByteBuffer.wrap((Base64.getEncoder().encodeToString(key) + "\n").getBytes(US_ASCII));
    // The key is written to another file and renamed, because a crash during the write would leave
    // a damaged key.
    Path part = file.resolveSibling(file.getFileName() + ".part");
    try {
      Files.deleteIfExists(part);
      try (FileChannel channel =
          FileChannel.open(
              part, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownerOnly())) {
        while (text.hasRemaining()) {
          channel.write(text);
        }
        channel.force(true);
      }
      Files.move(part, file);
      forceName();
    } catch (IOException e) {
      throw new IOException(
          "the key file %s cannot be made: %s".formatted(file, e.getMessage()), e);
    }
    log.atInfo()
        .addKeyValue("file", file)
        .log("The key for secrets is made: back it up with the store, which needs it");
    return new Vault(key);
  }

  /** So that the name, too, outlives a power cut, where folders can be forced to disk. */
  private void forceName() throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null && hasPermissions()) {
      try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }

  private FileAttribute<?>[] ownerOnly() {
    return hasPermissions()
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
        : new FileAttribute<?>[0];
  }

  private boolean hasPermissions() {
    return file.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
