/** The input of a delivery's workflow. */
export interface DeliverWebhookInput {
  deliveryId: string;
}

/**
 * What the workflow of a delivery does next. `done`: the end of the delivery is committed. `again`: the next try is due
 * after `afterSeconds`. `later`: no try was made, because the receiver has enough tries in flight.
 */
export type DeliveryStep =
  | { kind: 'done' }
  | { kind: 'again'; afterSeconds: number }
  | { kind: 'later'; afterSeconds: number };
