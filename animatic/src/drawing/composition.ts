import type { Dice } from '../dice.ts';
import type { Storyboard } from '../storyboard/storyboard.ts';
import type { Setting } from './setting.ts';
import { createStage } from './stage.ts';

/** Where things are placed in the frame. */
export interface Composition extends Pick<Setting, 'stage' | 'sun' | 'pixelsPerUnit'> {
  /** The subject's distance from the left, in units. */
  subjectX: number;
  /** 1 if the subject goes to the right, −1 if it goes to the left. */
  facing: number;
}

/** Composes by thirds: the sun on one side, the subject on the other, going towards the middle, where it has room. */
export function compose(
  size: { width: number; height: number },
  { time }: Pick<Storyboard, 'time'>,
  askedHorizon: number | undefined,
  dice: Dice,
): Composition {
  const isPortrait = size.height > size.width;
  const randomHorizon = dice.between(0.56, 0.66) + (isPortrait ? 0.04 : 0);
  const stage = createStage(size, askedHorizon ?? randomHorizon);
  const sunSide = dice.sign();
  const isLow = time === 'dawn' || time === 'dusk';
  return {
    stage,
    pixelsPerUnit: Math.min(size.width, size.height),
    sun: {
      x: stage.width * (0.5 + sunSide * dice.between(0.12, isPortrait ? 0.24 : 0.3)),
      y: isLow ? stage.horizon - dice.between(0.1, 0.2) : stage.horizon * dice.between(0.2, 0.38),
      radius: dice.between(0.045, 0.07) * (isLow ? 1.25 : 0.8),
    },
    subjectX: stage.width * (0.5 - sunSide * (isPortrait ? 0.06 : 0.15)),
    facing: sunSide,
  };
}
