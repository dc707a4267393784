package io.feedbridge.gateway.web.console.kit;

import org.jspecify.annotations.Nullable;

/** The sentences that a page shows after an action; a URL names one and never holds its text. */
final class Notices {

  private Notices() {}

  /** The sentence of a name; absent for an unknown name. */
  static @Nullable String of(String name) {
    return switch (name) {
      case "followed" -> "The feed is followed.";
      case "known" -> "The feed was followed already.";
      case "refreshed" -> "The feed is fetched now. New entries appear below in a moment.";
      case "unfollowed" -> "The feed is no longer followed.";
      case "retried" -> "The next delivery is due now.";
      case "resent" -> "The event was sent once more. This page has the answer.";
      case "ended" -> "The subscription is ended.";
      case "enabled" -> "The webhook is enabled.";
      case "disabled" -> "The webhook is disabled. It keeps its place in the log.";
      case "changed" -> "The webhook is changed.";
      case "made" -> "The webhook is made. A first message is on its way.";
      case "deleted" -> "The webhook is deleted.";
      case "secrets-ended" -> "Only the newest secret is valid now.";
      case "replayed" -> "The webhook is sent the events since that time again.";
      case "revoked" -> "The token is revoked.";
      case "removed" -> "The publisher is removed.";
      case "list-published" -> "The list is published.";
      case "list-changed" -> "The list is changed, and its subscribers are told.";
      case "list-removed" -> "The list is published no more.";
      case "signed-out" -> "You are signed out.";
      default -> null;
    };
  }
}
