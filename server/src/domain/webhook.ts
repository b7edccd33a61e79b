import type { EventType } from './event.ts';
import type { ProjectMode } from './project-mode.ts';

/** A test event is sent to one endpoint, and only when its owner requests it. */
export const testEventType = 'webhook.test';

export type WebhookEventType = EventType | typeof testEventType;

/** Why an endpoint is disabled. */
export type DisabledReason = 'gone' | 'failing' | 'by_caller';

export interface WebhookEndpoint extends ProjectMode {
  id: string;
  url: string;
  description: string;
  /** Empty means all. */
  events: readonly EventType[];
  createdAt: Date;
  disabledAt: Date | null;
  disabledReason: DisabledReason | null;
  /** When the first try after the last success failed; null if no try has failed since. */
  failingSince: Date | null;
}

export const deliveryStatuses = ['pending', 'delivered', 'dead'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Why a delivery was given up. */
export const deadReasons = [
  /** Every try failed. */
  'tries_used_up',
  /** The receiver responded with 410. */
  'gone',
  'endpoint_disabled',
  'endpoint_deleted',
  /** The receiver of this task's callbacks responded with 410 to another one. */
  'callbacks_ended',
  /** Every try failed, the last one because the service could not decrypt the secret that signs it. */
  'secret_unreadable',
  /** The record of the task no longer exists. */
  'task_gone',
  /** The workflow ended without ending the delivery, which is a bug in the service. */
  'lost',
] as const;
export type DeadReason = (typeof deadReasons)[number];

/** One event for one receiver: a webhook endpoint, or the callback URL of a task. */
export interface WebhookDelivery extends ProjectMode {
  id: string;
  eventId: string;
  eventType: WebhookEventType;
  eventCreatedAt: Date;
  /** Null for a test event. */
  taskId: string | null;
  /** The task's attempt when the event happened; null for a test event. */
  attempt: number | null;
  /** Null for a task's callback. */
  endpointId: string | null;
  status: DeliveryStatus;
  deadReason: DeadReason | null;
  tries: number;
  nextTryAt: Date | null;
  createdAt: Date;
  completedAt: Date | null;
}

/** One try at a delivery, as it is stored. */
export interface WebhookTry {
  /** From 1. */
  number: number;
  startedAt: Date;
  durationMilliseconds: number;
  /** The HTTP status; null if no response came, and then `reason` says why. */
  status: number | null;
  reason: string | null;
  /** The first kilobyte of the response body. */
  answer: string | null;
}
