package io.feedbridge.gateway.face;

/** A field or parameter of a request to the API is wrong; answered 400. */
final class BadFieldException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String field;

  /**
   * @param detail what is wrong and what would be right, for the client to read
   */
  BadFieldException(String field, String detail) {
    super(detail);
    this.field = field;
  }

  Answers.FieldError error() {
    return new Answers.FieldError(field, String.valueOf(getMessage()));
  }
}
