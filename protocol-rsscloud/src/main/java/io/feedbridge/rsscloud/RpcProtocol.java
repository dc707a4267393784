package io.feedbridge.rsscloud;

import java.util.Map;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * The two ways of calling procedures by XML over HTTP: how calls, answers and faults are read and
 * written. Whatever a stranger sends is read without a DTD and within bounds on bytes, depth and
 * number of elements.
 */
public enum RpcProtocol {

  /** XML-RPC, as of 1999 with the later additions that its libraries agree on. */
  XML_RPC(200) {
    @Override
    RpcCall call(XmlElement root) throws BadRpcException {
      return XmlRpc.call(root);
    }

    @Override
    RpcAnswer answer(XmlElement root) throws BadRpcException {
      return XmlRpc.answer(root);
    }

    @Override
    public boolean canCall(String procedure) {
      return XmlRpc.isName(procedure);
    }

    @Override
    public byte[] writeCall(RpcCall call) {
      return XmlRpc.write(call);
    }

    @Override
    public byte[] writeAnswer(RpcCall call, RpcValue value) {
      return XmlRpc.write(value);
    }

    @Override
    public byte[] writeFault(Blame blame, String sentence) {
      return XmlRpc.writeFault(sentence);
    }
  },

  /** SOAP 1.1, rpc/encoded as it was when clouds began to speak it, and read as loosely. */
  SOAP(500) {
    @Override
    RpcCall call(XmlElement root) throws BadRpcException {
      return Soap.call(root);
    }

    @Override
    RpcAnswer answer(XmlElement root) throws BadRpcException {
      return Soap.answer(root);
    }

    @Override
    public boolean canCall(String procedure) {
      return Soap.isName(procedure);
    }

    @Override
    public byte[] writeCall(RpcCall call) {
      return Soap.write(call);
    }

    @Override
    public byte[] writeAnswer(RpcCall call, RpcValue value) {
      return Soap.write(call, value);
    }

    @Override
    public byte[] writeFault(Blame blame, String sentence) {
      return Soap.writeFault(blame, sentence);
    }
  };

  /** Bytes of a call or an answer that are read at most. */
  public static final int MAX_BYTES = 4 * 1024 * 1024;

  /** The content type of every call and answer that this package writes. */
  public static final String CONTENT_TYPE = "text/xml; charset=utf-8";

  /** The root elements by which bodies are told apart. */
  private static final Map<String, RpcProtocol> ROOTS =
      Map.of("Envelope", SOAP, "methodCall", XML_RPC, "methodResponse", XML_RPC);

  private final int faultStatus;

  RpcProtocol(int faultStatus) {
    this.faultStatus = faultStatus;
  }

  /** Whose fault a fault is; SOAP says so (SOAP 1.1 §4.4.1). */
  public enum Blame {
    CLIENT,
    SERVER,
    /** The client's, which sent a header that it will have understood and that is not. */
    MUST_UNDERSTAND
  }

  /** Whether a procedure of that name can be called. */
  public abstract boolean canCall(String procedure);

  /** The HTTP status that a fault is sent with. */
  public int faultStatus() {
    return faultStatus;
  }

  /** The protocol that a body is written in, by its root element, wherever it was sent to. */
  public static RpcProtocol of(byte[] body, RpcProtocol otherwise) {
    try {
      XMLStreamReader reader = SafeXml.read(body, MAX_BYTES);
      try {
        while (!reader.isStartElement() && reader.hasNext()) {
          reader.next();
        }
        return reader.isStartElement()
            ? ROOTS.getOrDefault(reader.getLocalName(), otherwise)
            : otherwise;
      } finally {
        reader.close();
      }
    } catch (XMLStreamException noXml) {
      return otherwise;
    }
  }

  /**
   * Reads a call.
   *
   * @param contentType the HTTP header, of which the charset counts; null if there is none
   * @throws BadRpcException if it is none, with the sentence of the fault to answer
   */
  public RpcCall readCall(byte[] body, @Nullable String contentType) throws BadRpcException {
    return call(XmlElement.read(body, contentType));
  }

  /**
   * Reads an answer, which may be a fault.
   *
   * @param contentType the HTTP header, of which the charset counts; null if there is none
   * @throws BadRpcException if it is none
   */
  public RpcAnswer readAnswer(byte[] body, @Nullable String contentType) throws BadRpcException {
    return answer(XmlElement.read(body, contentType));
  }

  /**
   * Writes a call, in UTF-8.
   *
   * @throws IllegalArgumentException if the procedure cannot be called: see {@link #canCall}
   */
  public abstract byte[] writeCall(RpcCall call);

  /** Writes the answer to a call. */
  public abstract byte[] writeAnswer(RpcCall call, RpcValue value);

  /** Writes a fault. */
  public abstract byte[] writeFault(Blame blame, String sentence);

  abstract RpcCall call(XmlElement root) throws BadRpcException;

  abstract RpcAnswer answer(XmlElement root) throws BadRpcException;
}
