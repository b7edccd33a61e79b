/** A slot of an endpoint, taken for one task. */
export interface BoardSlot {
  endpointId: string;
  slot: number;
}

interface EndpointState {
  isAccepting: boolean;
  free: Set<number>;
  /** Grows with every slot that is taken: the endpoint with the smallest value got its last job longest ago. */
  lastTaken: number;
}

/** Given to Temporal's poller: a promise that one of our slots will be free for the activity that it brings. */
export interface Permit {
  isUsed: boolean;
}

/** An activity's right to one free slot, from its start until it takes the slot or ends. */
export interface Claim {
  /** Takes a free slot, not of `avoid` if another endpoint has one; returns null if none is free right now. */
  take(avoid: string | null): BoardSlot | null;
  /** Like `take`, but leaves slots of `avoid` to other tasks until `patience` ends if other endpoints accept jobs. */
  takeElsewhere(avoid: string, patience: AbortSignal): Promise<BoardSlot | null>;
  close(): void;
}

/** The free slots of this process's endpoints. Polls only while one is not promised, so that the fair order holds. */
export class SlotBoard {
  readonly #endpoints = new Map<string, EndpointState>();
  /** Slots taken here whose lease is not yet in the database; a refresh from there must not free them. */
  readonly #beginning = new Set<string>();
  /** Slots whose lease is being freed. */
  readonly #freeing = new Map<string, Promise<boolean>>();
  #permits = 0;
  /** Permits whose activity has not opened its claim yet, in the order in which the activities start. */
  readonly #used = new Set<Permit>();
  #openClaims = 0;
  #waiting: (() => void)[] = [];
  /** Tasks that wait for a slot elsewhere. They have waited longest, so they get a slot before new work is polled. */
  readonly #elsewhere = new Set<() => void>();
  #takings = 0;

  /** Sets the state of an endpoint that this process owns, as read from the database. */
  refresh(endpointId: string, isAccepting: boolean, freeSlots: readonly number[]): void {
    const free = new Set(freeSlots.filter((slot) => !this.#beginning.has(nameOf({ endpointId, slot }))));
    const lastTaken = this.#endpoints.get(endpointId)?.lastTaken ?? 0;
    this.#endpoints.set(endpointId, { isAccepting, free, lastTaken });
    this.#wake();
  }

  /** Stops offering the slots of an endpoint until its next refresh. */
  stopOffering(endpointId: string): void {
    const endpoint = this.#endpoints.get(endpointId);
    if (endpoint) endpoint.isAccepting = false;
  }

  /** Removes an endpoint that this process no longer owns. */
  remove(endpointId: string): void {
    this.#endpoints.delete(endpointId);
  }

  /** Returns whether another endpoint than this one accepts jobs here. */
  isAcceptingBeside(endpointId: string): boolean {
    return [...this.#endpoints].some(([id, { isAccepting }]) => isAccepting && id !== endpointId);
  }

  freed({ endpointId, slot }: BoardSlot): void {
    this.#endpoints.get(endpointId)?.free.add(slot);
    this.#wake();
  }

  /**
   * Offers a slot while its lease is still being freed: the next task waits in `isReady`, so the slot does not idle for
   * both in turn. `isFreed` resolves to false, or rejects, if the slot stays leased.
   */
  freeing(place: BoardSlot, isFreed: Promise<boolean>): void {
    const name = nameOf(place);
    const settled = isFreed
      .catch(() => false)
      .then((isFree) => {
        this.#freeing.delete(name);
        const free = this.#endpoints.get(place.endpointId)?.free;
        // A refresh may have removed the slot from the board since; a task that has taken it keeps it.
        if (isFree && !this.#beginning.has(name)) free?.add(place.slot);
        if (!isFree) free?.delete(place.slot);
        this.#wake();
        return isFree;
      });
    this.#freeing.set(name, settled);
    this.freed(place);
  }

  /** Returns whether a slot that was taken may be leased; waits while its last lease is being freed. */
  async isReady(place: BoardSlot): Promise<boolean> {
    return (await this.#freeing.get(nameOf(place))) ?? true;
  }

  /** Lets refreshes decide about a slot again: its lease is in the database, or never will be. */
  settled(place: BoardSlot): void {
    this.#beginning.delete(nameOf(place));
  }

  tryReserve(): Permit | null {
    if (this.#unpromised() <= 0) return null;
    this.#permits += 1;
    return { isUsed: false };
  }

  /** Waits for a free slot that is not promised yet. */
  async reserve(signal: AbortSignal): Promise<Permit> {
    for (;;) {
      signal.throwIfAborted();
      const permit = this.tryReserve();
      if (permit) return permit;
      await new Promise<void>((resolve) => {
        const resume = (): void => {
          signal.removeEventListener('abort', resume); // a wait has hundreds of wakes; their listeners must not pile up
          resolve();
        };
        this.#waiting.push(resume);
        signal.addEventListener('abort', resume, { once: true });
      });
    }
  }

  /** Records that an activity starts under a permit, and will open a claim. */
  use(permit: Permit): void {
    permit.isUsed = true;
    this.#permits -= 1;
    this.#used.add(permit);
  }

  /** Ends a permit: no activity came, or its activity has ended, perhaps before it opened its claim. */
  release(permit: Permit): void {
    if (permit.isUsed) this.#used.delete(permit);
    else this.#permits -= 1;
    this.#wake();
  }

  openClaim(): Claim {
    // An activity does not know its permit, so it takes the oldest. The count is right again once both have ended.
    const [permit] = this.#used;
    if (permit) this.#used.delete(permit);
    this.#openClaims += 1;
    let isOpen = true;
    const close = (): void => {
      if (isOpen) this.#openClaims -= 1;
      isOpen = false;
      this.#wake();
    };
    const take = (avoid: string | null): BoardSlot | null => {
      const slot = this.#pick(avoid);
      if (slot) close();
      return slot;
    };
    return {
      take,
      takeElsewhere: async (avoid, patience) => {
        const others = [...this.#endpoints].filter(
          ([endpointId, { isAccepting }]) => isAccepting && endpointId !== avoid,
        );
        if (others.length === 0 || others.some(([, { free }]) => free.size > 0)) return take(avoid);
        close();
        return this.#waitElsewhere(avoid, patience);
      },
      close,
    };
  }

  async #waitElsewhere(avoid: string, patience: AbortSignal): Promise<BoardSlot | null> {
    return new Promise((resolve) => {
      const end = (slot: BoardSlot | null): void => {
        this.#elsewhere.delete(retry);
        patience.removeEventListener('abort', giveUp);
        resolve(slot);
      };
      const retry = (): void => {
        // Only a slot that is not promised yet: the work for which Temporal was polled must still find a slot.
        const slot = this.#unpromised() > 0 ? this.#pick(null, avoid) : null;
        if (slot) end(slot);
      };
      const giveUp = (): void => end(this.#unpromised() > 0 ? this.#pick(avoid) : null);
      this.#elsewhere.add(retry);
      patience.addEventListener('abort', giveUp, { once: true });
      if (patience.aborted) giveUp();
    });
  }

  /** Takes a slot of the endpoint with the most free slots; among equals, of the one that was idle longest. */
  #pick(avoid: string | null, never: string | null = null): BoardSlot | null {
    const accepting = [...this.#endpoints].filter(
      ([id, { isAccepting, free }]) => isAccepting && free.size > 0 && id !== never,
    );
    const [chosen] = accepting.toSorted(
      ([id, one], [otherId, other]) =>
        Number(id === avoid) - Number(otherId === avoid) ||
        other.free.size - one.free.size ||
        one.lastTaken - other.lastTaken,
    );
    if (!chosen) return null;
    const [endpointId, endpoint] = chosen;
    const [slot] = endpoint.free;
    if (slot === undefined) return null;
    endpoint.free.delete(slot);
    this.#takings += 1;
    endpoint.lastTaken = this.#takings;
    const place = { endpointId, slot };
    this.#beginning.add(nameOf(place));
    return place;
  }

  #unpromised(): number {
    let free = 0;
    for (const endpoint of this.#endpoints.values()) if (endpoint.isAccepting) free += endpoint.free.size;
    return free - this.#permits - this.#used.size - this.#openClaims;
  }

  #wake(): void {
    for (const retry of this.#elsewhere) retry();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}

function nameOf({ endpointId, slot }: BoardSlot): string {
  return `${endpointId} ${slot}`;
}
