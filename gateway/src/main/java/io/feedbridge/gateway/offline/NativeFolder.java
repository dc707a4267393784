package io.feedbridge.gateway.offline;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sqlite.NativeLibrary;
import java.nio.file.Path;

/** The folder in which native libraries are unpacked, where it is not the data folder. */
public final class NativeFolder {

  private NativeFolder() {}

  /**
   * Unpacks the libraries of the database and of the network below a folder, for this process,
   * before either is used.
   *
   * @param tmp a folder that exists or can be made
   * @param data the data folder
   * @throws StoreException if the folder cannot be used, with a message for the operator
   */
  public static void use(Path tmp, Path data) {
    NativeLibrary.unpackBelow(tmp, data);
    System.setProperty("io.netty.native.workdir", tmp.toAbsolutePath().toString());
  }
}
