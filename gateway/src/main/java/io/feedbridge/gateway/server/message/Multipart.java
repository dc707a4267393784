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
import io.netty.handler.codec.http.multipart.FileUpload;
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
import org.jspecify.annotations.Nullable;

/** Forms as multipart/form-data (RFC 7578), in memory. */
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
    return parse(contentType, body, null);
  }

  /**
   * The same of a form that may have files.
   *
   * @param files takes the bytes of each file by the name of its field, the first where there are
   *     several; null where no file is taken
   */
  static Map<String, List<String>> parse(
      String contentType, byte[] body, @Nullable Map<String, byte[]> files) {
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
      return fields(decoder.getBodyHttpDatas(), files);
    } catch (DecoderException | IllegalArgumentException e) {
      throw new BadRequestException(BAD + ", or has too many fields");
    } finally {
      decoder.destroy();
    }
  }

  private static Map<String, List<String>> fields(
      List<InterfaceHttpData> parts, @Nullable Map<String, byte[]> files) {
    Map<String, List<String>> fields = new LinkedHashMap<>();
    for (InterfaceHttpData part : parts) {
      if (files != null && part instanceof FileUpload file) {
        files.putIfAbsent(file.getName(), bytes(file));
        continue;
      }
      if (!(part instanceof Attribute field)) {
        throw new BadRequestException("a part is a file, which is not taken here: send fields");
      }
      fields.computeIfAbsent(field.getName(), name -> new ArrayList<>(1)).add(text(field));
    }
    fields.replaceAll((name, values) -> List.copyOf(values));
    return Collections.unmodifiableMap(fields);
  }

  private static byte[] bytes(FileUpload file) {
    try {
      return file.get();
    } catch (IOException e) {
      throw new UncheckedIOException("Memory does not fail.", e);
    }
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
