package io.feedbridge.gateway.web.common;

/** A field or parameter of a request to the API is wrong; answered 400. */
public final class BadFieldException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String field;

  /**
   * @param detail the fault and its remedy, for the client to read
   */
  public BadFieldException(String field, String detail) {
    super(detail);
    this.field = field;
  }

  public Answers.FieldError error() {
    return new Answers.FieldError(field, String.valueOf(getMessage()));
  }
}
