package io.feedbridge.gateway.web.console.kit;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The files that pages load, from the jar. The hash of a file is a part of its path, so a browser
 * may keep it for ever. Safe for use by several threads.
 */
public final class Assets {

  private static final String OURS = "io/feedbridge/gateway/web/console/";
  private static final String WEBJARS = "META-INF/resources/webjars/";
  private static final String EXAMPLES = "examples/";

  private static final Map<String, String> FILES =
      Map.of(
          "console.css", OURS + "console.css",
          "console.js", OURS + "console.js",
          "icon.svg", OURS + "icon.svg",
          "htmx.js", WEBJARS + "htmx.org/2.0.10/dist/htmx.min.js",
          "sse.js", WEBJARS + "htmx-ext-sse/2.2.2/sse.js",
          "uplot.js", WEBJARS + "uplot/1.6.30/dist/uPlot.iife.min.js",
          "uplot.css", WEBJARS + "uplot/1.6.30/dist/uPlot.min.css",
          "receiver.py", EXAMPLES + "webhooks/receiver.py",
          "receiver.mjs", EXAMPLES + "webhooks/receiver.mjs",
          "WebhookReceiver.java", EXAMPLES + "java/WebhookReceiver.java");

  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int HASH_DIGITS = 16;

  private @Nullable Files files;

  @SuppressWarnings("ArrayRecordComponent") // served, never compared
  private record File(String type, byte[] plain, byte[] zipped) {}

  private record Files(Map<String, File> byPath, Map<String, String> urls) {
    /** Reads the files, which takes a few milliseconds. */
    static Files read() {
      Files files = new Files(new LinkedHashMap<>(), new LinkedHashMap<>());
      FILES.forEach(
          (name, resource) -> {
            byte[] bytes = Assets.read(resource);
            String path = hash(bytes) + "/" + name;
            files.byPath.put(path, new File(type(name), bytes, zipped(bytes)));
            files.urls.put(name, "/assets/" + path);
          });
      return files;
    }
  }

  /** Read with the first page: a start does without them. */
  private synchronized Files files() {
    if (files == null) {
      files = Files.read();
    }
    return files;
  }

  /** The URL of each file, by its name. */
  Map<String, String> urls() {
    return files().urls;
  }

  /** {@code GET /assets/{hash}/{name}}. */
  public Response get(Request request) {
    File file =
        files()
            .byPath
            .get(
                request.pathVariables().getOrDefault("hash", "")
                    + "/"
                    + request.pathVariables().getOrDefault("name", ""));
    if (file == null) {
      return Response.text(NOT_FOUND, "there is no such file\n");
    }
    boolean zip =
        request.headers().all("Accept-Encoding").stream()
            .anyMatch(value -> value.toLowerCase(Locale.ROOT).contains("gzip"));
    Response response =
        Response.of(OK, file.type(), zip ? file.zipped() : file.plain())
            .withHeader("Cache-Control", "public, max-age=31536000, immutable")
            .withHeader("Vary", "Accept-Encoding")
            .withHeader("X-Content-Type-Options", "nosniff");
    return zip ? response.withHeader("Content-Encoding", "gzip") : response;
  }

  private static String type(String name) {
    return switch (name.substring(name.lastIndexOf('.'))) {
      case ".css" -> "text/css; charset=utf-8";
      case ".js" -> "text/javascript; charset=utf-8";
      case ".svg" -> "image/svg+xml";
      default -> "text/plain; charset=utf-8";
    };
  }

  private static byte[] read(String resource) {
    try (InputStream in = Assets.class.getClassLoader().getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + resource);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static byte[] zipped(byte[] bytes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length / 3);
    try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
      zip.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("Memory does not fail.", e);
    }
    return out.toByteArray();
  }

  private static String hash(byte[] bytes) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(hash).substring(0, HASH_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
