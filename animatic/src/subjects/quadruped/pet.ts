import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, css } from '../../drawing/colour.ts';
import type { Moment } from '../../drawing/moment.ts';
import type { Setting } from '../../drawing/setting.ts';
import type { CoatTones } from './coat.ts';
import { createQuadruped, type QuadrupedBuild, type QuadrupedLook } from './quadruped.ts';
import { createResting, type RestingBuild } from './resting.ts';

/** What a pet does, for the parts that it draws itself. */
export interface PetState {
  /** Whether it stays in its place. */
  isStill: boolean;
  /** Whether it sits or lies. */
  isResting: boolean;
  isAsleep: boolean;
}

/** An animal that goes, stands, sits or sleeps. */
export interface Pet {
  going: QuadrupedBuild;
  /** How fast it goes, in lengths of its own per second. */
  lengthsPerSecond: number;
  sitting: RestingBuild;
  lying: RestingBuild;
  tones: CoatTones;
  paws: { near: Colour; far: Colour };
  /** Draws on the trunk while the animal is on its feet. */
  drawMarkings?: QuadrupedLook['drawMarkings'] | undefined;
  drawTail: (context: SKRSContext2D, moment: Moment, state: PetState) => void;
  drawHead: (context: SKRSContext2D, moment: Moment, state: PetState & { turn: number }) => void;
}

/** Creates the drawing of a pet that does what the prompt says. */
export function createPet(setting: Setting, pet: Pet): (context: SKRSContext2D, moment: Moment) => void {
  const { tones, paws } = pet;
  const { action } = setting.storyboard;
  const resting = action === 'sit' ? pet.sitting : action === 'sleep' ? pet.lying : null;
  const isStill = resting !== null || action === 'stand';
  const state: PetState = { isStill, isResting: resting !== null, isAsleep: action === 'sleep' };
  const look: QuadrupedLook = {
    tones,
    near: { tone: css(tones.coat), sock: css(paws.near), foot: css(paws.near) },
    far: { tone: css(tones.far), sock: css(paws.far), foot: css(paws.far) },
    drawMarkings: pet.drawMarkings,
    drawTail: (context, moment) => pet.drawTail(context, moment, state),
    drawHead: (context, moment, turn) => pet.drawHead(context, moment, { ...state, turn }),
  };
  if (resting) return createResting(setting, resting, look);
  return createQuadruped(setting, pet.going, look, isStill ? 0 : pet.lengthsPerSecond);
}
