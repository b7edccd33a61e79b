import type { EventType } from './event.ts';
import type { ProjectMode } from './project-mode.ts';

/** Sent to one endpoint when its owner asks for it, and never otherwise. */
export const testEventType = 'webhook.test';

export type WebhookEventType = EventType | typeof testEventType;

/** Why an endpoint gets nothing any more. */
export type DisabledReason = 'gone' | 'failing' | 'by_caller';

export interface WebhookEndpoint extends ProjectMode {
  id: string;
  url: string;
  description: string;
  /** Empty: all. */
  events: readonly EventType[];
  createdAt: Date;
  disabledAt: Date | null;
  disabledReason: DisabledReason | null;
  /** Since when no try has succeeded; null after a success. */
  failingSince: Date | null;
}

export const deliveryStatuses = ['pending', 'delivered', 'dead'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Why a delivery will never be tried again. */
export const deadReasons = [
  /** Every try failed. */
  'tries_used_up',
  /** The receiver answered 410. */
  'gone',
  'endpoint_disabled',
  'endpoint_deleted',
  /** The receiver of this task's callbacks answered 410 to another one. */
  'callbacks_ended',
  /** The record of the task is gone. */
  'task_gone',
  /** Its workflow ended without an end of the delivery; this is a fault of ours. */
  'lost',
] as const;
export type DeadReason = (typeof deadReasons)[number];

/** One event on its way to one place. */
export interface WebhookDelivery extends ProjectMode {
  id: string;
  eventId: string;
  eventType: WebhookEventType;
  eventCreatedAt: Date;
  /** Null for a test event. */
  taskId: string | null;
  /** Of the task, when the event happened. */
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

/** One try at a delivery, as it is kept. */
export interface WebhookTry {
  /** From 1. */
  number: number;
  startedAt: Date;
  durationMilliseconds: number;
  /** Null where no answer came; then the reason says why. */
  status: number | null;
  reason: string | null;
  /** The first kilobyte of the answer. */
  answer: string | null;
}
