package io.feedbridge.rsscloud;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * An aggregator's request to be notified of feeds ({@code pleaseNotify}), as a cloud reads it.
 *
 * @param notifyProcedure the procedure to call at the callback by xml-rpc or soap; means nothing to
 *     http-post, may be empty there
 * @param namespace of the procedure, by soap: the namespace of a registration's own operation in
 *     SOAP, or the part of {@code notifyProcedure} before its last {@code #}; empty where neither
 *     names one
 * @param callback the full URL that notifications go to; its query is as it was given
 * @param domainGiven whether the aggregator named its host, which decides how the handler is tested
 * @param protocol how to notify; http-post at port 443 has become https-post
 * @param urls the feeds, 1 to {@link RssCloud#MAX_URLS}, none twice
 */
public record Registration(
    String notifyProcedure,
    String namespace,
    String callback,
    boolean domainGiven,
    CloudProtocol protocol,
    List<String> urls) {

  private static final int MAX_PROCEDURE_LENGTH = 255;

  private static final List<Set<String>> PARAMETERS =
      List.of(
          Set.of("notifyprocedure", "registerprocedure"),
          Set.of("port"),
          Set.of("path"),
          Set.of("protocol"),
          Set.of("urllist", "urls", "url"),
          Set.of("domain"));

  private static final List<String> FORM_NAMES =
      List.of("notifyProcedure", "port", "path", "protocol", "url", "domain");

  private static final Set<String> KNOWN =
      PARAMETERS.stream().flatMap(Set::stream).collect(Collectors.toUnmodifiableSet());

  /** Copies the list. */
  public Registration {
    urls = List.copyOf(urls);
  }

  /** A registration whose procedure has no namespace. */
  public Registration(
      String notifyProcedure,
      String callback,
      boolean domainGiven,
      CloudProtocol protocol,
      List<String> urls) {
    this(notifyProcedure, "", callback, domainGiven, protocol, urls);
  }

  /**
   * Reads the form of a REST registration.
   *
   * @param callerAddress the IP address that the request came from, with or without brackets; used
   *     where no {@code domain} is given ("you can not request notification on behalf of another
   *     server")
   * @throws BadRegistrationException with a sentence for the caller if a rule is broken
   */
  public static Registration parse(Map<String, List<String>> form, String callerAddress)
      throws BadRegistrationException {
    return parse(form, callerAddress, "");
  }

  private static Registration parse(
      Map<String, List<String>> form, String callerAddress, String namespace)
      throws BadRegistrationException {
    try {
      return read(new Form(form), callerAddress, namespace);
    } catch (MalformedException e) {
      throw new BadRegistrationException(e.getMessage());
    }
  }

  /**
   * Reads a call of {@code pleaseNotify(notifyProcedure, port, path, protocol, urlList[, domain])}.
   * Arguments are taken by their names where they have them, else by their places.
   *
   * @param callerAddress as for a form
   * @throws BadRegistrationException with a sentence for the caller if a rule is broken
   */
  public static Registration parse(RpcCall call, String callerAddress)
      throws BadRegistrationException {
    Map<String, List<String>> form = new HashMap<>();
    for (int place = 0; place < PARAMETERS.size(); place++) {
      List<String> texts = new ArrayList<>();
      call.named(place, PARAMETERS.get(place), KNOWN).forEach(value -> addTexts(value, texts));
      if (!texts.isEmpty()) {
        form.put(FORM_NAMES.get(place), texts);
      }
    }
    return parse(form, callerAddress, call.namespace());
  }

  /** A list may come as one, as a struct, or, with one feed in it, as a string. */
  private static void addTexts(RpcValue value, List<String> texts) {
    if (value instanceof RpcValue.Items list) {
      list.values().forEach(item -> item.asText().ifPresent(texts::add));
    } else if (value instanceof RpcValue.Fields struct) {
      struct.values().values().forEach(item -> item.asText().ifPresent(texts::add));
    } else {
      value.asText().ifPresent(texts::add);
    }
  }

  private static Registration read(Form form, String callerAddress, String callNamespace)
      throws MalformedException {
    CloudProtocol asked = protocol(required(form, "protocol"));
    String named = named(form);
    int hash = asked == CloudProtocol.SOAP ? named.lastIndexOf('#') : -1;
    String procedure = callable(named.substring(hash + 1), asked);
    String namespace = hash < 0 ? callNamespace : named.substring(0, hash);
    String portText = required(form, "port");
    int port =
        WebUrl.port(portText)
            .orElseThrow(
                () ->
                    new MalformedException(
                        "port " + WebUrl.quoted(portText) + " is not a number of 1 to 65535"));
    String path = required(form, "path");
    Optional<String> domain = form.single("domain").filter(text -> !text.isEmpty());
    String host = domain.isPresent() ? domain(domain.get()) : caller(callerAddress);
    boolean https = asked == CloudProtocol.HTTPS_POST || port == WebUrl.HTTPS_PORT;
    return new Registration(
        procedure,
        asked == CloudProtocol.SOAP && isNamespace(namespace) ? namespace : "",
        WebUrl.of(https, host, port, path),
        domain.isPresent(),
        https && asked.isRest() ? CloudProtocol.HTTPS_POST : asked,
        form.urls());
  }

  private static String required(Form form, String name) throws MalformedException {
    return form.single(name).orElseThrow(() -> new MalformedException(name + " is missing"));
  }

  private static CloudProtocol protocol(String name) throws MalformedException {
    return CloudProtocol.ofWireName(name)
        .orElseThrow(
            () ->
                new MalformedException(
                    "protocol "
                        + WebUrl.quoted(name)
                        + " is not known: give http-post, https-post, xml-rpc or soap, in lower"
                        + " case"));
  }

  /** Aggregators in the wild send it under the name of the cloud element's attribute, or not. */
  private static String named(Form form) throws MalformedException {
    Optional<String> named = form.single("notifyProcedure");
    String procedure = (named.isPresent() ? named : form.single("registerProcedure")).orElse("");
    if (procedure.length() > MAX_PROCEDURE_LENGTH
        || procedure.chars().anyMatch(Character::isISOControl)) {
      throw new MalformedException(
          "notifyProcedure has control characters or more than " + MAX_PROCEDURE_LENGTH);
    }
    return procedure;
  }

  /** A namespace that is too long to be kept counts as none. */
  private static boolean isNamespace(String text) {
    return text.length() <= MAX_PROCEDURE_LENGTH && text.chars().noneMatch(Character::isISOControl);
  }

  private static String callable(String procedure, CloudProtocol protocol)
      throws MalformedException {
    boolean callable = protocol.rpc().map(rpc -> rpc.canCall(procedure)).orElse(true);
    if (!callable) {
      throw new MalformedException(
          procedure.isEmpty()
              ? "notifyProcedure is missing: " + protocol.wireName() + " needs one to call"
              : "notifyProcedure "
                  + WebUrl.quoted(procedure)
                  + " is no name that can be called by "
                  + protocol.wireName());
    }
    return procedure;
  }

  private static String domain(String text) throws MalformedException {
    return Host.parse(text)
        .orElseThrow(
            () ->
                new MalformedException(
                    "domain "
                        + WebUrl.quoted(text)
                        + " is not a host name or IP address alone (no port, no path)"));
  }

  private static String caller(String address) throws MalformedException {
    int zone = address.indexOf('%');
    String withoutZone = zone < 0 ? address : address.substring(0, zone);
    return Host.parse(withoutZone)
        .orElseThrow(
            () -> new MalformedException("the caller's address is not known: give a domain"));
  }
}
