package io.feedbridge.rsscloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.URI;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RegistrationRequestTest {

  private static final String FEED = "http://feeds.example/?feed=rss2&x=ü+";

  @Test
  void it_has_the_parameters_of_the_walkthrough() {
    RegistrationRequest form =
        RegistrationRequest.of(
            CloudProtocol.HTTP_POST, URI.create("http://me.example:5337"), "/callback/x", FEED);
    assertThat(Forms.decode(form.form()))
        .isEqualTo(
            Forms.of(
                "notifyProcedure", "",
                "port", "5337",
                "path", "/callback/x",
                "protocol", "http-post",
                "url1", FEED,
                "domain", "me.example"));
  }

  @ParameterizedTest
  @CsvSource({
    "http://me.example/, me.example, 80, http-post",
    "https://me.example/base, me.example, 443, http-post https-post",
    "https://me.example:443, me.example, 443, http-post https-post",
    "https://me.example:8443, me.example, 8443, https-post http-post",
    "http://[2001:db8::1]:5337/, [2001:db8::1], 5337, http-post",
  })
  void the_protocol_names_a_method_and_the_port_decides_which_is_asked_for_first(
      String publicUrl, String domain, int port, String protocols) {
    List<RegistrationRequest> ways =
        RegistrationRequest.ways(CloudProtocol.HTTP_POST, URI.create(publicUrl), "/c", FEED);

    assertThat(ways)
        .allSatisfy(
            way -> {
              assertThat(way.domain()).isEqualTo(domain);
              assertThat(way.port()).isEqualTo(port);
            });
    assertThat(ways)
        .extracting(way -> way.protocol().wireName())
        .containsExactly(protocols.split(" "));
    assertThat(RegistrationRequest.of(CloudProtocol.HTTP_POST, URI.create(publicUrl), "/c", FEED))
        .isEqualTo(ways.get(0));
  }

  @ParameterizedTest
  @EnumSource(
      value = CloudProtocol.class,
      names = {"XML_RPC", "SOAP"})
  void a_cloud_of_procedures_is_asked_in_one_way(CloudProtocol cloud) {
    assertThat(RegistrationRequest.ways(cloud, URI.create("https://me.example"), "/c", FEED))
        .extracting(RegistrationRequest::protocol)
        .containsExactly(cloud);
  }

  @Test
  void a_cloud_of_ours_reads_it_as_it_was_meant() throws Exception {
    Random random = new Random(5);
    for (int i = 0; i < 200; i++) {
      boolean https = random.nextBoolean();
      int port = 1 + random.nextInt(65535);
      String origin = (https ? "https" : "http") + "://me.example:" + port;
      String path = "/callback/" + Long.toHexString(random.nextLong()) + "?a=%20&b";
      String feed = FEED + random.nextInt();
      RegistrationRequest form =
          RegistrationRequest.of(CloudProtocol.HTTP_POST, URI.create(origin), path, feed);
      Registration registration =
          Registration.parse(Forms.decode(form.form()), "192.0.2." + random.nextInt(256));
      URI callback = URI.create(registration.callback());
      assertThat(registration.domainGiven()).isTrue();
      assertThat(registration.urls()).isEqualTo(List.of(feed));
      assertThat(callback.getHost()).isEqualTo("me.example");
      assertThat(callback.getRawPath() + "?" + callback.getRawQuery()).isEqualTo(path);
      assertThat(callback.getScheme()).isEqualTo(https || port == 443 ? "https" : "http");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ftp://me.example", "/relative", "mailto:a@b", "http:///x"})
  void a_public_url_that_is_none_is_a_mistake_of_the_caller(String publicUrl) {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                RegistrationRequest.of(CloudProtocol.HTTP_POST, URI.create(publicUrl), "/c", FEED));
  }

  @Test
  void a_callback_path_that_is_none_is_a_mistake_of_the_caller() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                RegistrationRequest.of(
                    CloudProtocol.HTTP_POST, URI.create("http://me.example"), "/a b", FEED));
  }

  @ParameterizedTest
  @EnumSource(RpcProtocol.class)
  void a_cloud_of_ours_reads_it_as_a_call_too(RpcProtocol rpc) throws Exception {
    CloudProtocol cloud = rpc == RpcProtocol.SOAP ? CloudProtocol.SOAP : CloudProtocol.XML_RPC;
    RegistrationRequest request =
        RegistrationRequest.of(cloud, URI.create("http://me.example:5337"), "/callback/x", FEED);

    RpcCall call =
        rpc.readCall(rpc.writeCall(request.call("xmlStorageSystem.rssPleaseNotify")), null);

    assertThat(CloudCall.parse(call, "192.0.2.7"))
        .isEqualTo(
            new CloudCall.PleaseNotify(
                new Registration(
                    "rssCloud.notify",
                    "http://me.example:5337/callback/x",
                    true,
                    cloud,
                    List.of(FEED))));
  }
}
