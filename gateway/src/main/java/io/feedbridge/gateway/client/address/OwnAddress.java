package io.feedbridge.gateway.client.address;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.util.Set;

/**
 * The addresses at which the gateway itself answers: its listening socket, and the host and port of
 * its public URL. A topic, hub or callback there would make the gateway ask itself, with the trust
 * that a request from this machine has. Immutable; no method looks up a name.
 */
public final class OwnAddress {

  /** The ports that a URL without one means: a proxy serves or redirects both. */
  private static final Set<Integer> USUAL_PORTS = Set.of(80, 443);

  private final InetSocketAddress listen;
  private final Origin published;

  /**
   * The addresses of a gateway.
   *
   * @param listen with the port that is really used
   * @throws IllegalArgumentException if the public URL is none that can be called
   */
  public OwnAddress(InetSocketAddress listen, URI publicUrl) {
    this.listen = listen;
    try {
      published = Target.parse(publicUrl.toString()).origin();
    } catch (CallException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /**
   * Whether a URL of this origin leads to the public URL. By the name and not by its address: a
   * proxy that stands before the gateway may serve other sites under the same address.
   */
  public boolean isPublic(Origin origin) {
    boolean usual = USUAL_PORTS.contains(origin.port()) && USUAL_PORTS.contains(published.port());
    return origin.host().equals(published.host()) && (usual || origin.port() == published.port());
  }

  /** Whether a connection to this address and port would reach the listening socket. */
  public boolean isListening(InetAddress address, int port) {
    if (port != listen.getPort()) {
      return false;
    }
    // A connection to the wildcard address reaches loopback.
    InetAddress judged = AddressPolicy.embeddedIpv4(address);
    return judged.equals(AddressPolicy.embeddedIpv4(listen.getAddress()))
        || judged.isAnyLocalAddress()
        || (listen.getAddress().isAnyLocalAddress() && isOfThisMachine(judged));
  }

  private static boolean isOfThisMachine(InetAddress address) {
    if (address.isLoopbackAddress()) {
      return true;
    }
    try {
      return NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException unknown) {
      return true;
    }
  }
}
