import { Path2D } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import type { Setting } from '../../drawing/setting.ts';

/** The top of a dune. */
export interface Crest {
  x: number;
  y: number;
  /** The trough that follows it. */
  troughX: number;
  troughY: number;
}

/** Adds ripples that the wind has made on the lit side. */
export function addRipples(path: Path2D, dice: Dice, { x, y }: Crest, shadedSide: number, rise: number): void {
  for (let ripple = 0; ripple < 5; ripple++) {
    const startX = x - shadedSide * dice.between(0.15, 0.5);
    const startY = y + rise * (0.9 + 0.4 * ripple);
    const reach = -shadedSide * dice.between(0.12, 0.3);
    path.moveTo(startX, startY);
    path.bezierCurveTo(
      startX + 0.3 * reach,
      startY - 0.012,
      startX + 0.7 * reach,
      startY + 0.014,
      startX + reach,
      startY,
    );
  }
}

/** Creates footprints that wind from near the viewer up to a crest. */
export function createTracks({ stage, dice }: Setting, crests: readonly Crest[], top: number): Path2D {
  const path = new Path2D();
  const goal = crests.find(({ x }) => x > 0.25 * stage.width && x < 0.85 * stage.width)?.x ?? stage.width / 2;
  const swing = dice.sign() * 0.14;
  for (let print = 0; print < 34; print++) {
    const along = (print / 34) ** 0.7;
    const x = goal + swing * Math.sin(4 * along) * along + 0.006 * (print % 2 === 0 ? -1 : 1) * (0.3 + along);
    const y = top + 0.02 + along * (stage.height - top);
    const size = 0.0045 + 0.009 * along;
    path.moveTo(x + size, y);
    path.ellipse(x, y, size, 0.5 * size, 0, 0, 2 * Math.PI);
  }
  return path;
}
