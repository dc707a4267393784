package io.feedbridge.gateway.testing;

import io.feedbridge.gateway.client.OutboundClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Hosts with names on this machine, and one certificate for all of them. The gateway finds them by
 * a resolver and calls them at the ports that they have. Tests cannot listen on port 443: the
 * stand-ins call the gateway at its public URL through a proxy, which leads a name and a port to
 * any other port. The TLS of both directions is real. Thread-safe.
 */
public final class NamedHosts implements AutoCloseable {

  private final Set<String> names;
  private final Certificate certificate;
  private final Path certificateFile;
  private final Path keyFile;
  private final FakeProxy proxy = new FakeProxy();
  private final Http http;

  /**
   * New ones.
   *
   * @param folder for the files of the certificate
   */
  public NamedHosts(Path folder, String... names) {
    this.names = Set.of(names);
    try {
      certificate =
          Certificate.of(
              folder, Stream.of(names).map(name -> "dns:" + name).collect(Collectors.joining(",")));
      certificateFile = Files.writeString(folder.resolve("cert.pem"), certificate.certificatePem());
      keyFile = Files.writeString(folder.resolve("key.pem"), certificate.keyPem());
      http =
          new Http(
              HttpClient.newBuilder()
                  .sslContext(certificate.client())
                  .proxy(new ByName(proxy.port()))
                  .followRedirects(HttpClient.Redirect.NORMAL));
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** The PEM file of the certificate. */
  public Path certificateFile() {
    return certificateFile;
  }

  /** The PEM file of its private key. */
  public Path keyFile() {
    return keyFile;
  }

  /** The network for the gateway's client: no other host has a name or is trusted. */
  public OutboundClient.Network network() {
    return new OutboundClient.Network((loop, transport) -> this::resolve, certificate.trust());
  }

  /** A client for stand-ins, which trusts these hosts alone and follows redirects. */
  public Http http() {
    return http;
  }

  /** From now on an https URL's host and port lead to a port of this machine. */
  public void open(URI url, int port) {
    proxy.open(url.getHost() + ":" + (url.getPort() < 0 ? 443 : url.getPort()), port);
  }

  /**
   * From now on requests by http to a port for https are answered with 400, as by nginx before the
   * gateway; else the gateway answers.
   */
  public void refusePlain(boolean refused) {
    proxy.refusePlain(refused);
  }

  /** A host over TLS that passes on each request to an origin. */
  public RawHost before(FakeOrigin origin) {
    return before(origin.server());
  }

  /** A host over TLS that passes on each request to a server. */
  public RawHost before(StubServer server) {
    RawHost front = before(server.port());
    server.alsoAt(front.port());
    return front;
  }

  /** A host over TLS that passes on each request to a hub. */
  public RawHost before(FakeHub hub) {
    return before(URI.create(hub.url()).getPort());
  }

  private RawHost before(int port) {
    return secure(talk -> talk.relay(port, ""));
  }

  /** A host over TLS on a free port. */
  public RawHost secure(RawHost.Script script) {
    return secure(0, script);
  }

  /**
   * A host over TLS.
   *
   * @throws java.io.UncheckedIOException if it cannot listen on this port
   */
  public RawHost secure(int port, RawHost.Script script) {
    return RawHost.secure(certificate.server(), port, script);
  }

  private CompletableFuture<List<InetAddress>> resolve(String host) {
    return CompletableFuture.completedFuture(
        names.contains(host) ? List.of(InetAddress.getLoopbackAddress()) : List.of());
  }

  @Override
  public void close() {
    proxy.close();
  }

  /** Addresses as numbers are called without the proxy. */
  private static final class ByName extends ProxySelector {
    private final List<Proxy> proxy;

    ByName(int port) {
      proxy =
          List.of(
              new Proxy(
                  Proxy.Type.HTTP, new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
    }

    @Override
    public List<Proxy> select(URI url) {
      return url.getHost().matches("[\\d.]+") ? List.of(Proxy.NO_PROXY) : proxy;
    }

    @Override
    public void connectFailed(URI url, SocketAddress address, IOException failure) {
      // The call fails, too.
    }
  }
}
