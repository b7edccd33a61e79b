export interface Outcome<Item> {
  item: Item;
  /** Null if the action succeeded. */
  error: unknown;
}

/** Runs an action for every item, at most `atOnce` at a time. A failed one does not stop the others; the signal does. */
export async function runAll<Item>(
  items: readonly Item[],
  action: (item: Item) => Promise<unknown>,
  options: { atOnce: number; signal: AbortSignal; onOutcome: (outcome: Outcome<Item>) => void },
): Promise<void> {
  const left = items.values();
  const work = async (): Promise<void> => {
    for (const item of left) {
      if (options.signal.aborted) return;
      const error = await action(item).then(
        () => null,
        (reason: unknown) => reason,
      );
      options.onOutcome({ item, error });
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, work));
}
