package io.feedbridge.gateway.server.message;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.multipart.Attribute;
import io.netty.handler.codec.http.multipart.DefaultHttpDataFactory;
import io.netty.handler.codec.http.multipart.HttpPostMultipartRequestDecoder;
import io.netty.handler.codec.http.multipart.HttpPostRequestDecoder;
import io.netty.handler.codec.http.multipart.InterfaceHttpData;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Forms as multipart/form-data (RFC 7578), in memory and without files. */
final class Multipart {

  private static final String BAD = "the body is no multipart/form-data";

  private Multipart() {}

  /**
   * The fields in the order of their first appearance, the values of each in order.
   *
   * @throws BadRequestException where that is no such form, or has files, malformed UTF-8 or too
   *     many fields
   */
  static Map<String, List<String>> parse(String contentType, byte[] body) {
    HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
    head.headers().set(HttpHeaderNames.CONTENT_TYPE, contentType);
    if (!HttpPostRequestDecoder.isMultipart(head)) {
      throw new BadRequestException(BAD + ": its boundary is missing");
    }
    HttpPostMultipartRequestDecoder decoder =
        new HttpPostMultipartRequestDecoder(
            new DefaultHttpDataFactory(false),
            head,
            StandardCharsets.UTF_8,
            Parameters.MAX_PARAMETERS,
            body.length + 1);
    try {
      decoder.offer(new DefaultLastHttpContent(Unpooled.wrappedBuffer(body)));
      return fields(decoder.getBodyHttpDatas());
    } catch (DecoderException | IllegalArgumentException e) {
      throw new BadRequestException(BAD + ", or has too many fields");
    } finally {
      decoder.destroy();
    }
  }

  private static Map<String, List<String>> fields(List<InterfaceHttpData> parts) {
    Map<String, List<String>> fields = new LinkedHashMap<>();
    for (InterfaceHttpData part : parts) {
      if (!(part instanceof Attribute field)) {
        throw new BadRequestException("a part is a file, which is not taken here: send fields");
      }
      fields.computeIfAbsent(field.getName(), name -> new ArrayList<>(1)).add(text(field));
    }
    fields.replaceAll((name, values) -> List.copyOf(values));
    return Collections.unmodifiableMap(fields);
  }

  private static String text(Attribute field) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(field.get())).toString();
    } catch (CharacterCodingException e) {
      throw new BadRequestException("a field is not UTF-8");
    } catch (IOException e) {
      throw new UncheckedIOException("Memory does not fail.", e);
    }
  }
}
