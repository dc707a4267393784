package io.feedbridge.gateway.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import de.timroes.axmlrpc.XMLRPCClient;
import de.timroes.axmlrpc.XMLRPCServerException;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.testing.Rpc;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.rsscloud.RpcProtocol;
import jakarta.xml.soap.MessageFactory;
import jakarta.xml.soap.SOAPBody;
import jakarta.xml.soap.SOAPConnection;
import jakarta.xml.soap.SOAPConnectionFactory;
import jakarta.xml.soap.SOAPElement;
import jakarta.xml.soap.SOAPException;
import jakarta.xml.soap.SOAPMessage;
import java.io.ByteArrayInputStream;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.xml.namespace.QName;
import org.apache.xmlrpc.XmlRpcException;
import org.apache.xmlrpc.client.XmlRpcClient;
import org.apache.xmlrpc.client.XmlRpcClientConfigImpl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Apache XML-RPC, aXMLRPC and SAAJ call the cloud; SAAJ reads what it sends. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LibrariesTest {

  private static final String PROCEDURE = "river.feedUpdated";

  private World world;
  private String feed;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
    feed = world.origin().rss("feed.xml", "", "one");
    for (String path : new String[] {"apache", "axmlrpc", "typed", "qualified"}) {
      world
          .subscriber()
          .answer(path, request -> CompletableFuture.completedFuture(Rpc.yes(request)));
    }
  }

  @AfterAll
  void stop() {
    world.close();
  }

  private URL url(String path) throws MalformedURLException {
    return URI.create(world.gateway().url(path)).toURL();
  }

  private int port() {
    return world.subscriber().port();
  }

  private int registered(String path) {
    String row = "subscription WHERE callback = '" + world.subscriber().url(path) + "'";
    return world.gateway().rows().count(row);
  }

  @Nested
  class ApacheXmlRpc {

    private Object call(String procedure, Object... arguments)
        throws XmlRpcException, MalformedURLException {
      XmlRpcClientConfigImpl config = new XmlRpcClientConfigImpl();
      config.setServerURL(url("/RPC2"));
      XmlRpcClient client = new XmlRpcClient();
      client.setConfig(config);
      return client.execute(procedure, arguments);
    }

    @Test
    void calls_each_procedure() throws Exception {
      assertThat(call("rssCloud.hello")).isEqualTo(true);
      Object[] feeds = {feed};
      assertThat(
              call(
                  "rssCloud.pleaseNotify",
                  PROCEDURE,
                  port(),
                  "/apache",
                  "xml-rpc",
                  feeds,
                  "127.0.0.1"))
          .isEqualTo(true);
      assertThat(registered("apache")).isEqualTo(1);
      assertThat(call("rssCloud.ping", feed)).isEqualTo(true);
      assertThat(call("weblogUpdates.ping", "A", feed))
          .isEqualTo(Map.of("flerror", false, "message", "Thanks for the ping."));
      assertThat((Object[]) call("system.listMethods")).contains("rssCloud.pleaseNotify");
    }

    @Test
    void reads_a_fault() {
      assertThatExceptionOfType(XmlRpcException.class)
          .isThrownBy(() -> call("rssCloud.ping", "feed.xml"))
          .withMessageContaining("is not an absolute http or https URL")
          .satisfies(fault -> assertThat(fault.code).isEqualTo(4));
    }
  }

  @Nested
  class AXmlRpc {

    private Object call(String procedure, Object... arguments) throws Exception {
      return new XMLRPCClient(url("/RPC2")).call(procedure, arguments);
    }

    @Test
    void calls_each_procedure() throws Exception {
      assertThat(call("rssCloud.hello")).isEqualTo(true);
      Object[] feeds = {feed};
      assertThat(
              call(
                  "xmlStorageSystem.rssPleaseNotify",
                  PROCEDURE,
                  port(),
                  "/axmlrpc",
                  "xml-rpc",
                  feeds))
          .isEqualTo(true);
      assertThat(registered("axmlrpc")).isEqualTo(1);
      assertThat(call("weblogUpdates.extendedPing", "A", "http://a.example/", feed))
          .isEqualTo(Map.of("flerror", false, "message", "Thanks for the ping."));
    }

    @Test
    void reads_a_fault() {
      assertThatExceptionOfType(XMLRPCServerException.class)
          .isThrownBy(() -> call("rssCloud.none"))
          .withMessageContaining("there is no procedure")
          .satisfies(fault -> assertThat(fault.getErrorNr()).isEqualTo(4));
    }
  }

  @Nested
  class Saaj {

    private static final QName TYPE =
        new QName("http://www.w3.org/2001/XMLSchema-instance", "type", "xsi");

    private SOAPMessage call(SOAPMessage message) throws SOAPException, MalformedURLException {
      message.saveChanges();
      SOAPConnection connection = SOAPConnectionFactory.newInstance().createConnection();
      try {
        return connection.call(message, url("/soap"));
      } finally {
        connection.close();
      }
    }

    private SOAPMessage message() throws SOAPException {
      SOAPMessage message = MessageFactory.newInstance().createMessage();
      message
          .getSOAPPart()
          .getEnvelope()
          .addNamespaceDeclaration("xsd", "http://www.w3.org/2001/XMLSchema")
          .addNamespaceDeclaration("SOAP-ENC", "http://schemas.xmlsoap.org/soap/encoding/");
      return message;
    }

    @Test
    void calls_with_typed_arguments_in_an_unqualified_operation() throws Exception {
      SOAPMessage message = message();
      SOAPElement operation =
          message.getSOAPBody().addChildElement(new QName("rssCloud.pleaseNotify"));
      typed(operation, "notifyProcedure", "xsd:string", PROCEDURE);
      typed(operation, "port", "xsd:int", Integer.toString(port()));
      typed(operation, "path", "xsd:string", "/typed");
      typed(operation, "protocol", "xsd:string", "soap");
      SOAPElement list = typed(operation, "urlList", "SOAP-ENC:Array", "");
      typed(list, "item", "xsd:string", feed);

      SOAPElement response = only(call(message).getSOAPBody());

      assertThat(response.getLocalName()).isEqualTo("rssCloud.pleaseNotifyResponse");
      assertThat(only(response).getLocalName()).isEqualTo("Result");
      assertThat(only(response).getValue()).isEqualTo("true");
      assertThat(registered("typed")).isEqualTo(1);
    }

    @Test
    void calls_with_untyped_arguments_of_a_namespace_and_reads_the_test_of_its_handler()
        throws Exception {
      String namespace = "http://www.soapware.org/";
      SOAPMessage message = message();
      SOAPElement operation = message.getSOAPBody().addChildElement("pleaseNotify", "m", namespace);
      String[] arguments = {PROCEDURE, Integer.toString(port()), "/qualified", "soap", feed};
      for (int i = 0; i < arguments.length; i++) {
        operation.addChildElement("arg" + i, "m").addTextNode(arguments[i]);
      }

      assertThat(only(only(call(message).getSOAPBody())).getValue()).isEqualTo("true");

      Request test = world.delivery("qualified");
      assertThat(Rpc.protocol(test)).isEqualTo(RpcProtocol.SOAP);
      SOAPMessage read =
          MessageFactory.newInstance().createMessage(null, new ByteArrayInputStream(test.body()));
      SOAPElement procedure = only(read.getSOAPBody());
      assertThat(procedure.getElementQName()).isEqualTo(new QName(namespace, PROCEDURE));
      assertThat(only(procedure).getAttributeValue(TYPE)).isEqualTo("xsd:string");
      assertThat(only(procedure).getValue()).isEqualTo(feed);
    }

    @Test
    void reads_a_fault() throws Exception {
      SOAPMessage message = message();
      message.getSOAPBody().addChildElement(new QName("none"));

      SOAPBody body = call(message).getSOAPBody();

      assertThat(body.hasFault()).isTrue();
      assertThat(body.getFault().getFaultCodeAsQName().getLocalPart()).isEqualTo("Client");
      assertThat(body.getFault().getFaultString()).contains("there is no procedure 'none'");
    }

    private SOAPElement typed(SOAPElement parent, String name, String type, String text)
        throws SOAPException {
      SOAPElement child = parent.addChildElement(new QName(name));
      child.addAttribute(TYPE, type);
      return text.isEmpty() ? child : child.addTextNode(text);
    }

    private SOAPElement only(SOAPElement parent) {
      SOAPElement found = null;
      for (var children = parent.getChildElements(); children.hasNext(); ) {
        if (children.next() instanceof SOAPElement element) {
          assertThat(found).isNull();
          found = element;
        }
      }
      if (found == null) {
        throw new AssertionError("there is no element in " + parent.getLocalName());
      }
      return found;
    }
  }
}
