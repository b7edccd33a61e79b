import type { WebhookParts } from '../activities/deliver-activities.ts';
import { presentEvent } from '../api/presenters/present-event.ts';
import { presentTestEvent } from '../api/presenters/present-webhook.ts';
import { createTaskLinks } from '../api/presenters/task-links.ts';
import { createUrlSigner } from '../api/presenters/url-signer.ts';
import type { Config } from '../config.ts';
import { createGuardedFetcher, type GuardedFetcher } from '../outbound/guarded-fetch.ts';
import type { OutboundPolicy } from '../outbound/outbound-policy.ts';
import { nextDelaySeconds, readRetryAfter } from '../webhooks/schedule.ts';
import { createSecretBox } from '../webhooks/secret-box.ts';
import { newWebhookSecret, signWebhook } from '../webhooks/sign.ts';
import type { Foundation } from './foundation.ts';

/** Returns which addresses callers may name, according to the settings. */
export function outboundPolicy(config: Config): OutboundPolicy {
  return {
    allowHttp: config.KINORA_OUTBOUND_ALLOW_HTTP,
    allowedPorts: config.KINORA_OUTBOUND_ALLOWED_PORTS,
    allowedNetworks: config.KINORA_OUTBOUND_ALLOWED_NETWORKS,
  };
}

/** Creates a fetcher for addresses that callers name. */
export function wireFetcher(config: Config): GuardedFetcher {
  return createGuardedFetcher(outboundPolicy(config));
}

/** Wires the parts that create and seal the secrets of webhooks. */
export function wireSecretTools(config: Config) {
  return { box: createSecretBox(config.KINORA_SECRET_KEYS), newSecret: newWebhookSecret };
}

/** Wires what each try of a delivery needs: the body as the API presents it, signatures, the schedule. */
export function wireWebhooks({ config, clock, storage }: Foundation, fetcher: GuardedFetcher): WebhookParts {
  const schedule = config.KINORA_WEBHOOK_SCHEDULE_SECONDS;
  const signer = createUrlSigner({ publicUrl: config.KINORA_PUBLIC_URL, secretKeys: config.KINORA_SECRET_KEYS, clock });
  const links = createTaskLinks({ signer, storage, clock });
  return {
    ...wireSecretTools(config),
    fetcher,
    sign: signWebhook,
    nextDelaySeconds: (tries, retryAfterSeconds) =>
      nextDelaySeconds({ schedule, tries, retryAfterSeconds, random: Math.random() }),
    readRetryAfter,
    bodyOf: async (delivery, view) => {
      const {
        eventId: id,
        eventType: type,
        eventCreatedAt: createdAt,
        taskId,
        projectId,
        livemode,
        attempt,
      } = delivery;
      if (view === null || type === 'webhook.test' || taskId === null) return presentTestEvent(delivery);
      const event = { id, type, createdAt, taskId, projectId, livemode, attempt: attempt ?? view.task.attempt };
      return presentEvent(event, view, await links(view.task));
    },
    tryMilliseconds: config.KINORA_WEBHOOK_TRY_SECONDS * 1000,
  };
}
