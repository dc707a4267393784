package io.feedbridge.gateway.web.console.kit;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import io.feedbridge.gateway.server.message.Response;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Makes pages of the templates that the build compiled. Safe for any number of threads. */
public final class Templates {

  /** No script, style or frame but the gateway's own files, and none within a page. */
  static final String POLICY =
      "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

  private static final String HTML = "text/html; charset=utf-8";

  /** Shorter pages are not worth the time. */
  private static final int WORTH_ZIPPING = 2_048;

  private final TemplateEngine engine = TemplateEngine.createPrecompiled(ContentType.Html);
  private final Assets assets;

  public Templates(Assets assets) {
    this.assets = assets;
  }

  /** The URL of each file that pages load, by its name. */
  public Map<String, String> assets() {
    return assets.urls();
  }

  /** A template with its values, as text. */
  public String text(String template, Map<String, Object> values) {
    StringOutput out = new StringOutput();
    engine.render(template + ".jte", values, out);
    return out.toString();
  }

  /**
   * A page.
   *
   * @param zip whether the client takes gzip
   */
  public Response page(int status, String template, Map<String, Object> values, boolean zip) {
    byte[] body = text(template, values).getBytes(StandardCharsets.UTF_8);
    boolean zipped = zip && body.length >= WORTH_ZIPPING;
    Response response =
        Response.of(status, HTML, zipped ? Assets.zipped(body) : body)
            .withHeader("Content-Security-Policy", POLICY)
            .withHeader("X-Frame-Options", "DENY")
            .withHeader("X-Content-Type-Options", "nosniff")
            .withHeader("Referrer-Policy", "same-origin")
            .withHeader("Cache-Control", "no-store")
            .withHeader("Vary", "Accept-Encoding");
    return zipped ? response.withHeader("Content-Encoding", "gzip") : response;
  }
}
