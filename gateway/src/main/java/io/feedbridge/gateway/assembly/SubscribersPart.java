package io.feedbridge.gateway.assembly;

import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.runtime.Lifecycle;
import io.feedbridge.gateway.subscribers.CloudRegistrar;
import io.feedbridge.gateway.subscribers.Leases;
import io.feedbridge.gateway.subscribers.Removals;
import io.feedbridge.gateway.subscribers.Verifier;
import io.feedbridge.gateway.subscribers.WebhookVerifier;

/** Subscribers: their requests and registrations are verified, their leases end. */
final class SubscribersPart {

  final CloudRegistrar registrar;
  private final Verifier verifier;
  private final WebhookVerifier webhookVerifier;
  private final Leases leases;
  private final Removals removals;

  SubscribersPart(Settings settings, Machines machines, ServingPart serving) {
    verifier =
        new Verifier(
            machines.store,
            machines.owned().client(),
            machines.stages,
            machines.timer,
            machines.random,
            settings.publicUrl(),
            machines.policies,
            serving.outcomes);
    registrar =
        new CloudRegistrar(
            machines.store,
            machines.owned().client(),
            serving.activity,
            serving.bridges,
            machines.policies,
            machines.stages,
            machines.timer,
            machines.random);
    webhookVerifier =
        new WebhookVerifier(
            machines.store,
            machines.owned().client(),
            machines.owned().attempts(),
            machines.stages,
            machines.timer,
            machines.random,
            settings.publicUrl().getHost());
    leases =
        new Leases(machines.store, settings.hub().leases().min(), machines.stages, machines.timer);
    removals = new Removals(machines.store, machines.stages, machines.timer);
    serving.outcomes.onConfirmed(serving.limiter::confirmed);
    registrar.onConfirmed(serving.limiter::confirmed);
  }

  void start(Lifecycle lifecycle) {
    lifecycle.start(leases::start, leases::close);
    lifecycle.start(removals::start, removals::close);
    lifecycle.start(verifier::start, verifier::close);
    lifecycle.start(webhookVerifier::start, webhookVerifier::close);
    lifecycle.start(registrar::start, registrar::close);
  }
}
