package io.feedbridge.gateway.runtime;

/** Which version this is. */
public final class Version {

  private Version() {}

  /** The version in the jar's manifest; "dev" if the classes do not come from a jar. */
  public static String current() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "dev" : version;
  }
}
