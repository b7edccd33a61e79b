import { describe, expect, test } from 'vitest';
import { SlotBoard } from './slot-board.ts';

/** A board with one slot, and the permit for it. */
function boardWithPermit() {
  const board = new SlotBoard();
  board.refresh('gpu-1', true, [0]);
  const permit = board.tryReserve();
  if (!permit) throw new Error('the board has no free slot');
  return { board, permit };
}

describe('a permit that Temporal gives back', () => {
  test('a permit frees its slot for other work if no activity started under it', () => {
    const { board, permit } = boardWithPermit();
    board.release(permit);
    expect(board.tryReserve()).not.toBeNull();
  });

  test('a permit frees its slot for other work if its activity failed before it opened a claim', () => {
    const { board, permit } = boardWithPermit();
    board.use(permit);
    board.release(permit);
    // The owner's next maintenance round finds the slot free in Postgres.
    board.refresh('gpu-1', true, [0]);
    expect(board.tryReserve()).not.toBeNull();
  });
});
