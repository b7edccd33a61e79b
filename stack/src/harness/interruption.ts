const controller = new AbortController();

/** Aborted when the person at the keyboard has had enough: every wait of a proof ends with it, so that all is tidied up. */
export const interrupted: AbortSignal = controller.signal;

export function interrupt(): void {
  controller.abort(new Error('interrupted'));
}
