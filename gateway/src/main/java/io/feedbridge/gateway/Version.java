package io.feedbridge.gateway;

/** Which version this is. */
public final class Version {

  private Version() {}

  /** As the jar's manifest has it; "dev" where the classes do not come from a jar. */
  public static String current() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "dev" : version;
  }
}
