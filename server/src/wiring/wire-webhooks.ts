import { isIPv6 } from 'node:net';
import { isLoopbackName } from '@kinora/settings/own-host';
import type { WebhookParts } from '../activities/deliver-activities.ts';
import { presentEvent } from '../api/presenters/present-event.ts';
import { presentTestEvent } from '../api/presenters/present-webhook.ts';
import type { Config } from '../config/config.ts';
import type { FetchLimit } from '../outbound/fetch-limit.ts';
import { createGuardedFetcher, type GuardedFetcher } from '../outbound/guarded-fetch.ts';
import type { OutboundPolicy } from '../outbound/outbound-policy.ts';
import { type Resolve, resolveWithSystem } from '../outbound/resolve-target.ts';
import { nextDelaySeconds, readRetryAfter } from '../webhooks/schedule.ts';
import { createSecretBox } from '../webhooks/secret-box.ts';
import { newWebhookSecret, signWebhook } from '../webhooks/sign.ts';
import type { Foundation } from './foundation.ts';
import { wireTaskLinks } from './wire-task-links.ts';

/** Returns which addresses callers may name, according to the settings. */
export function outboundPolicy(config: Config): OutboundPolicy {
  return {
    allowHttp: config.KINORA_OUTBOUND_ALLOW_HTTP,
    allowedPorts: config.KINORA_OUTBOUND_ALLOWED_PORTS,
    allowedNetworks: config.KINORA_OUTBOUND_ALLOWED_NETWORKS,
    deniedNetworks: config.KINORA_OUTBOUND_DENIED_NETWORKS,
    publicHost: new URL(config.KINORA_PUBLIC_URL).hostname,
  };
}

/**
 * Returns which addresses webhooks may be sent to. In development, if only this machine reaches the API, they may also go
 * to a receiver on this machine, where everybody's first one runs. Images and outputs of engines are never fetched there.
 */
export function receiverPolicy(config: Config): OutboundPolicy {
  const policy = outboundPolicy(config);
  const address = config.KINORA_HOST;
  const hosts = [policy.publicHost ?? '', isIPv6(address) ? `[${address}]` : address];
  return { ...policy, allowLoopback: config.KINORA_ENV === 'development' && hosts.every(isLoopbackName) };
}

/** Creates a fetcher for addresses that callers name; without a limit, for any number of fetches from one address. */
export function wireFetcher(
  config: Config,
  { perAddress, policy = outboundPolicy(config) }: { perAddress?: FetchLimit; policy?: OutboundPolicy } = {},
): GuardedFetcher {
  const servers = config.KINORA_OUTBOUND_NAME_SERVERS;
  const resolve: Resolve = (host, signal) => resolveWithSystem(host, signal, servers.length > 0 ? servers : undefined);
  return createGuardedFetcher(policy, { resolve, perAddress });
}

/** Wires the parts that create and seal the secrets of webhooks. */
export function wireSecretTools(config: Config) {
  return { box: createSecretBox(config.KINORA_SECRET_KEYS), newSecret: newWebhookSecret };
}

/** Wires the body of a delivery as the API presents it, with URLs signed now; without a task, that of a test event. */
export function wireDeliveryBody(foundation: Foundation): WebhookParts['bodyOf'] {
  const { links } = wireTaskLinks(foundation);
  return async (delivery, view) => {
    const { eventId: id, eventType: type, eventCreatedAt: createdAt, taskId, projectId, livemode, attempt } = delivery;
    if (view === null || type === 'webhook.test' || taskId === null) return presentTestEvent(delivery);
    const event = { id, type, createdAt, taskId, projectId, livemode, attempt: attempt ?? view.task.attempt };
    return presentEvent(event, view, await links(view.task));
  };
}

/** Wires what each try of a delivery needs: its body, signatures, the schedule. */
export function wireWebhooks(foundation: Foundation, fetcher: GuardedFetcher): WebhookParts {
  const { config } = foundation;
  const schedule = config.KINORA_WEBHOOK_SCHEDULE_SECONDS;
  return {
    ...wireSecretTools(config),
    fetcher,
    sign: signWebhook,
    nextDelaySeconds: (tries, retryAfterSeconds) =>
      nextDelaySeconds({ schedule, tries, retryAfterSeconds, random: Math.random() }),
    readRetryAfter,
    bodyOf: wireDeliveryBody(foundation),
    tryMilliseconds: config.KINORA_WEBHOOK_TRY_SECONDS * 1000,
  };
}
