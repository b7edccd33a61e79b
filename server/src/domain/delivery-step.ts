/** What the workflow of a delivery is started with. */
export interface DeliverWebhookInput {
  deliveryId: string;
}

/**
 * What is to come after one look at a delivery. `done`: its end is committed. `again`: a try failed, and the next one is so far
 * away. `later`: the receiver has enough tries in flight, and this one was not made.
 */
export type DeliveryStep =
  | { kind: 'done' }
  | { kind: 'again'; afterSeconds: number }
  | { kind: 'later'; afterSeconds: number };
