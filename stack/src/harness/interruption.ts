const controller = new AbortController();

/** Aborts when the developer interrupts a proof: every wait of the proof then ends, so that it can clean up. */
export const interrupted: AbortSignal = controller.signal;

export function interrupt(): void {
  controller.abort(new Error('interrupted'));
}
