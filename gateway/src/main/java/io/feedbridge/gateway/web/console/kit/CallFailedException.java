package io.feedbridge.gateway.web.console.kit;

import java.util.Map;
import java.util.concurrent.CompletionException;

/** A call of the API that was answered with a problem. */
public final class CallFailedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final int status;
  private final String detail;
  private final transient Map<String, String> errors;

  CallFailedException(int status, String detail, Map<String, String> errors) {
    super(detail);
    this.status = status;
    this.detail = detail;
    this.errors = errors;
  }

  /** The problem that a later call failed with; any other failure is thrown. */
  public static CallFailedException in(Throwable thrown) {
    Throwable failure = thrown;
    while (failure instanceof CompletionException && failure.getCause() != null) {
      failure = failure.getCause();
    }
    if (failure instanceof CallFailedException call) {
      return call;
    }
    throw new CompletionException(failure);
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }

  /** The reason, in a sentence. */
  public String detail() {
    return detail;
  }

  /** The fields at fault, each with its reason. */
  public Map<String, String> errors() {
    return errors;
  }
}
