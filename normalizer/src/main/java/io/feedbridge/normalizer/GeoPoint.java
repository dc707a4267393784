package io.feedbridge.normalizer;

/** A place in WGS 84 degrees: latitude −90 to 90, longitude −180 to 180. */
public record GeoPoint(double latitude, double longitude) {

  static boolean isPlace(double latitude, double longitude) {
    return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  }
}
