/** The input of a delivery's workflow. */
export interface DeliverWebhookInput {
  deliveryId: string;
}

/** `done`: the delivery's end is committed. `again`: the next try is due. `later`: the receiver has enough tries. */
export type DeliveryStep =
  | { kind: 'done' }
  | { kind: 'again'; afterSeconds: number }
  | { kind: 'later'; afterSeconds: number };
