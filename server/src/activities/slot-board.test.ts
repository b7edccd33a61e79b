import { getEventListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BoardSlot, type Claim, type Permit, SlotBoard } from './slot-board.ts';

const never = new AbortController().signal;

function boardWith(...slots: number[]): SlotBoard {
  const board = new SlotBoard();
  board.refresh('gpu', true, slots);
  return board;
}

/** Starts an activity under a permit, as Temporal does; it begins on a slot. */
function begin(board: SlotBoard, permit: Permit): BoardSlot | null {
  board.use(permit);
  return board.openClaim().take(null);
}

describe('the board of slots', () => {
  it('promises each free slot once', () => {
    const board = boardWith(0, 1);
    expect(board.tryReserve()).not.toBeNull();
    expect(board.tryReserve()).not.toBeNull();
    expect(board.tryReserve()).toBeNull();
  });

  it('promises no slot of an endpoint that is not accepting, removed or busy', () => {
    const board = boardWith(0, 1);
    board.stopOffering('gpu');
    expect(board.tryReserve()).toBeNull();
    board.refresh('gpu', false, [0, 1]);
    expect(board.tryReserve()).toBeNull();
    board.refresh('gpu', true, []);
    expect(board.tryReserve()).toBeNull();
    board.refresh('gpu', true, [0]);
    board.remove('gpu');
    expect(board.tryReserve()).toBeNull();
  });

  it('takes back a promise that was not used', () => {
    const board = boardWith(0);
    const permit = board.tryReserve();
    expect(permit).not.toBeNull();
    if (permit) board.release(permit);
    expect(board.tryReserve()).not.toBeNull();
  });

  it('offers a slot while its lease is being freed, and lets the next task begin once it is free', async () => {
    const board = boardWith();
    const { promise: isFreed, resolve } = Promise.withResolvers<boolean>();
    board.freeing({ endpointId: 'gpu', slot: 0 }, isFreed);
    const permit = board.tryReserve();
    expect(permit).not.toBeNull();
    const place = begin(board, permit ?? { isUsed: false });
    if (!place) throw new Error('no slot');
    let isReady: boolean | null = null;
    const waiting = board.isReady(place).then((result) => (isReady = result));
    board.refresh('gpu', true, []); // as read from the database before the lease is freed
    expect(isReady).toBeNull();
    resolve(true);
    await waiting;
    expect(isReady).toBe(true);
    expect(board.tryReserve()).toBeNull(); // the slot is taken, not free a second time
  });

  it('stops offering a slot whose lease could not be freed', async () => {
    const board = boardWith();
    const { promise: isFreed, reject } = Promise.withResolvers<boolean>();
    const place = { endpointId: 'gpu', slot: 0 };
    board.freeing(place, isFreed);
    reject(new Error('Postgres is away'));
    expect(await board.isReady(place)).toBe(false);
    expect(board.tryReserve()).toBeNull();
    expect(await board.isReady(place)).toBe(true); // the next maintenance round of its owner decides
  });

  it('keeps a freed slot free after a refresh that was read too early', async () => {
    const board = boardWith();
    const { promise: isFreed, resolve } = Promise.withResolvers<boolean>();
    board.freeing({ endpointId: 'gpu', slot: 0 }, isFreed);
    board.refresh('gpu', true, []);
    expect(board.tryReserve()).toBeNull();
    resolve(true);
    await board.isReady({ endpointId: 'gpu', slot: 0 });
    expect(board.tryReserve()).not.toBeNull();
  });

  it('keeps a slot taken from the start of its work until it is freed', () => {
    const board = boardWith(0);
    const permit = board.tryReserve() ?? { isUsed: false };
    board.use(permit);
    expect(board.tryReserve()).toBeNull();
    const place = board.openClaim().take(null);
    expect(place).toEqual({ endpointId: 'gpu', slot: 0 });
    board.release(permit); // Temporal gives the permit back when the activity has ended
    expect(board.tryReserve()).toBeNull();
    if (place) board.settled(place);
    board.freed({ endpointId: 'gpu', slot: 0 });
    expect(board.tryReserve()).not.toBeNull();
  });

  it('drops the claim of work that had nothing to begin', () => {
    const board = boardWith(0);
    board.use(board.tryReserve() ?? { isUsed: false });
    const claim = board.openClaim();
    claim.close();
    claim.close();
    expect(board.tryReserve()).not.toBeNull();
    expect(board.tryReserve()).toBeNull();
  });

  it('does not free a slot whose lease is still on its way to the database', () => {
    const board = boardWith(0);
    const place = begin(board, board.tryReserve() ?? { isUsed: false });
    board.refresh('gpu', true, [0]); // read before the lease was committed
    expect(board.tryReserve()).toBeNull();
    if (place) board.settled(place);
    board.refresh('gpu', true, []);
    expect(board.tryReserve()).toBeNull();
    board.refresh('gpu', true, [0]);
    expect(board.tryReserve()).not.toBeNull();
  });

  it('sends a task to another endpoint than before, if there is one with a free slot', () => {
    const board = boardWith(0);
    board.refresh('other', true, [0]);
    for (const avoid of ['gpu', 'other']) {
      board.use(board.tryReserve() ?? { isUsed: false });
      const place = board.openClaim().take(avoid);
      expect(place?.endpointId).not.toBe(avoid);
      if (place) board.settled(place);
      if (place) board.freed(place);
    }
    board.remove('other');
    board.use(board.tryReserve() ?? { isUsed: false });
    expect(board.openClaim().take('gpu')).toEqual({ endpointId: 'gpu', slot: 0 });
  });

  it('picks the endpoint with the most free slots first, and among equals the one that was idle longest', () => {
    const board = new SlotBoard();
    board.refresh('one', true, [0]);
    board.refresh('two', true, [0]);
    board.refresh('large', true, [0, 1, 2]);
    const taken = Array.from({ length: 5 }, () => begin(board, board.tryReserve() ?? { isUsed: false })?.endpointId);
    expect(taken.slice(0, 2)).toEqual(['large', 'large']);
    expect(new Set(taken.slice(2))).toEqual(new Set(['large', 'one', 'two']));
    board.remove('large');
    const turns: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      // Both become free in one refresh; their order there must not decide.
      for (const endpointId of ['one', 'two']) {
        board.settled({ endpointId, slot: 0 });
        board.refresh(endpointId, true, [0]);
      }
      turns.push(begin(board, board.tryReserve() ?? { isUsed: false })?.endpointId ?? '');
    }
    expect(turns.map((endpointId) => endpointId === turns[0])).toEqual([true, false, true, false]);
  });

  describe('a task for which only the endpoint that has just failed it is free', () => {
    const free = { endpointId: 'other', slot: 0 };

    function retry(patience: AbortSignal = never) {
      const board = boardWith(0);
      board.refresh('other', true, []);
      board.use(board.tryReserve() ?? { isUsed: false });
      return { board, place: board.openClaim().takeElsewhere('gpu', patience) };
    }

    it('leaves that slot to others and waits for another endpoint', async () => {
      const { board, place } = retry();
      expect(board.tryReserve()).not.toBeNull();
      board.freed(free);
      expect(await place).toEqual(free);
      expect(board.tryReserve()).toBeNull(); // the slot of `gpu` is promised, the other taken
    });

    it('gets a slot before new work is polled', async () => {
      const { board, place } = retry();
      board.stopOffering('gpu');
      const stopping = new AbortController();
      const reserving = board.reserve(stopping.signal);
      board.freed(free);
      expect(await place).toEqual(free);
      stopping.abort();
      await expect(reserving).rejects.toMatchObject({ name: 'AbortError' });
    });

    it('returns to that endpoint when its patience ends, unless the slot is promised by then', async () => {
      const impatient = new AbortController();
      const { place } = retry(impatient.signal);
      impatient.abort();
      expect(await place).toEqual({ endpointId: 'gpu', slot: 0 });
      const late = new AbortController();
      const promised = retry(late.signal);
      promised.board.tryReserve();
      late.abort();
      expect(await promised.place).toBeNull();
    });

    it('does not wait if no other endpoint accepts jobs', async () => {
      const board = boardWith(0);
      board.refresh('other', false, [0]);
      board.use(board.tryReserve() ?? { isUsed: false });
      expect(await board.openClaim().takeElsewhere('gpu', never)).toEqual({ endpointId: 'gpu', slot: 0 });
    });
  });

  it('has no slot for work that arrives after its endpoint stopped accepting', () => {
    const board = boardWith(0);
    board.use(board.tryReserve() ?? { isUsed: false });
    board.stopOffering('gpu');
    const claim = board.openClaim();
    expect(claim.take(null)).toBeNull();
    claim.close();
    board.refresh('gpu', true, [0]);
    expect(board.tryReserve()).not.toBeNull();
  });

  it('resumes one waiting reservation per freed slot', async () => {
    const board = boardWith();
    const reserved: number[] = [];
    const waiting = [1, 2, 3].map((number) => board.reserve(never).then(() => reserved.push(number)));
    await pause(0);
    expect(reserved).toEqual([]);
    board.refresh('gpu', true, [0, 1]);
    await pause(0);
    expect(reserved).toHaveLength(2);
    board.freed({ endpointId: 'gpu', slot: 2 });
    await Promise.all(waiting);
    expect(board.tryReserve()).toBeNull();
  });

  it('stops waiting when its signal aborts, and leaves no listener behind however often it was woken', async () => {
    const board = boardWith();
    const stopping = new AbortController();
    const waiting = board.reserve(stopping.signal);
    for (let count = 0; count < 30; count += 1) {
      board.refresh('gpu', true, []);
      await pause(0);
    }
    expect(getEventListeners(stopping.signal, 'abort')).toHaveLength(1);
    stopping.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    board.refresh('gpu', true, [0]);
    expect(board.tryReserve()).not.toBeNull();
  });

  it('never has more promises, claims and taken slots than slots, in whatever order things happen', () => {
    const step = fc.constantFrom('reserve', 'release', 'use', 'take', 'drop', 'free', 'close', 'open');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (steps, slots) => {
        const board = boardWith(...Array.from({ length: slots }, (_, slot) => slot));
        const permits: Permit[] = [];
        const claims: Claim[] = [];
        const taken: BoardSlot[] = [];
        const freeNow = () =>
          Array.from({ length: slots }, (_, slot) => slot).filter(
            (slot) => !taken.some((place) => place.slot === slot),
          );
        for (const name of steps) {
          if (name === 'reserve') {
            const permit = board.tryReserve();
            if (permit) permits.push(permit);
          } else if (name === 'release') {
            const permit = permits.pop();
            if (permit) board.release(permit);
          } else if (name === 'use') {
            const permit = permits.pop();
            if (permit) {
              board.use(permit);
              claims.push(board.openClaim());
            }
          } else if (name === 'take') {
            const claim = claims.pop();
            const place = claim?.take(null);
            if (place) {
              if (taken.some((other) => other.slot === place.slot)) throw new Error('a slot was given out twice');
              taken.push(place);
              board.settled(place);
            } else claim?.close();
          } else if (name === 'drop') claims.pop()?.close();
          else if (name === 'free') {
            const place = taken.pop();
            if (place) board.freed(place);
          } else if (name === 'close') board.stopOffering('gpu');
          else board.refresh('gpu', true, freeNow());
          expect(permits.length + claims.length + taken.length).toBeLessThanOrEqual(slots);
        }
        // Nothing leaks: once all work is done, every slot can be promised again.
        for (const permit of permits) board.release(permit);
        for (const claim of claims) claim.close();
        taken.length = 0;
        board.refresh('gpu', true, freeNow());
        for (let count = 0; count < slots; count += 1) expect(board.tryReserve()).not.toBeNull();
        expect(board.tryReserve()).toBeNull();
      }),
    );
  });
});
