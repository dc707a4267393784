package io.feedbridge.normalizer;

import java.math.BigDecimal;

/** A place in WGS 84 degrees: latitude −90 to 90, longitude −180 to 180. */
public record GeoPoint(double latitude, double longitude) {

  static boolean isPlace(double latitude, double longitude) {
    return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  }

  /** GeoRSS Simple: latitude and longitude in decimals, with a space between them. */
  String simple() {
    return decimal(latitude) + " " + decimal(longitude);
  }

  private static String decimal(double degrees) {
    return BigDecimal.valueOf(degrees).toPlainString();
  }
}
