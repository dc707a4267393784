package io.feedbridge.gateway.store.postgres;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A stand-in for a pooler that gives each transaction a session of the server which no other
 * transaction has. The server must ask for no password.
 */
final class TransactionPooler implements AutoCloseable {

  /** Which of the free sessions a transaction gets. */
  enum Choice {
    LAST_USED,
    LONGEST_UNUSED
  }

  private static final int ASKS_FOR_ENCRYPTION = 80_877_103;
  private static final int ASKS_FOR_GSS = 80_877_104;
  private static final int LENGTH = 4;

  private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final URI server;
  private final Choice choice;
  private final int most;

  private final List<Socket> sockets = new ArrayList<>();
  private final Deque<Side> free = new ArrayDeque<>();
  private final List<Message> login = new ArrayList<>();
  private int sessions;

  private static final class Message {
    final int type;
    final byte[] body;

    Message(int type, byte[] body) {
      this.type = type;
      this.body = body;
    }
  }

  private record Side(Socket socket, DataInputStream in, DataOutputStream out)
      implements AutoCloseable {
    static Side of(Socket socket) throws IOException {
      socket.setTcpNoDelay(true);
      return new Side(
          socket,
          new DataInputStream(socket.getInputStream()),
          new DataOutputStream(socket.getOutputStream()));
    }

    Message read() throws IOException {
      int type = in.readUnsignedByte();
      return new Message(type, in.readNBytes(in.readInt() - LENGTH));
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }

    void write(Message message) throws IOException {
      out.writeByte(message.type);
      out.writeInt(message.body.length + LENGTH);
      out.write(message.body);
    }
  }

  /**
   * Listens.
   *
   * @param url of the server, a JDBC URL
   * @param most sessions of the server at once
   */
  TransactionPooler(String url, Choice choice, int most) throws IOException {
    server = URI.create(url.substring("jdbc:".length()));
    this.choice = choice;
    this.most = most;
    threads.execute(this::accept);
  }

  /** The URL of the server, by way of the pooler. */
  String url() {
    return "jdbc:"
        + server
            .toString()
            .replaceFirst("//[^/]+/", "//127.0.0.1:" + listening.getLocalPort() + "/");
  }

  private void accept() {
    try {
      while (true) {
        Side client = opened(listening.accept());
        threads.execute(() -> serve(client));
      }
    } catch (IOException closed) {
      // The test has ended.
    }
  }

  private synchronized Side opened(Socket socket) throws IOException {
    sockets.add(socket);
    return Side.of(socket);
  }

  private void serve(Side client) {
    try (client) {
      logIn(client);
      Side session = null;
      for (Message asked = client.read(); asked.type != 'X'; asked = client.read()) {
        session = session == null ? take() : session;
        session.write(asked);
        if (asked.type == 'Q' || asked.type == 'S') {
          session.out.flush();
          session = answer(session, client) ? session : null;
        }
      }
    } catch (EOFException | SocketException closed) {
      // A client that goes without a word.
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Passes an answer on; says whether the transaction goes on, and gives the session back if not.
   */
  private boolean answer(Side session, Side client) throws IOException {
    Message said = session.read();
    while (said.type != 'Z') {
      client.write(said);
      said = session.read();
    }
    boolean within = said.body[0] != 'I';
    if (!within) {
      give(session);
    }
    client.write(said);
    client.out.flush();
    return within;
  }

  private synchronized Side take() throws IOException {
    try {
      while (free.isEmpty()) {
        wait();
      }
      return choice == Choice.LAST_USED ? free.removeLast() : free.removeFirst();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private synchronized void give(Side session) {
    free.addLast(session);
    notifyAll();
  }

  private synchronized void logIn(Side client) throws IOException {
    byte[] first = client.in.readNBytes(client.in.readInt() - LENGTH);
    while (isEncryption(first)) {
      client.out.writeByte('N');
      first = client.in.readNBytes(client.in.readInt() - LENGTH);
    }
    if (sessions < most) {
      sessions++;
      login.clear();
      give(session(first));
    }
    for (Message one : login) {
      client.write(one);
    }
    client.out.flush();
  }

  private static boolean isEncryption(byte[] first) {
    int code = ByteBuffer.wrap(first).getInt();
    return code == ASKS_FOR_ENCRYPTION || code == ASKS_FOR_GSS;
  }

  private Side session(byte[] startup) throws IOException {
    Side session = opened(new Socket(InetAddress.getByName(server.getHost()), server.getPort()));
    session.out.writeInt(startup.length + LENGTH);
    session.out.write(startup);
    session.out.flush();
    do {
      login.add(session.read());
    } while (login.get(login.size() - 1).type != 'Z');
    return session;
  }

  @Override
  public void close() throws IOException {
    listening.close();
    synchronized (this) {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
    threads.shutdownNow();
  }
}
