import type { Path2D, SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, css, mix } from '../../drawing/colour.ts';
import type { Moment } from '../../drawing/moment.ts';
import { drawTurned, fill, within } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import type { Subject } from '../subject.ts';
import { type CoatTones, coatColour, coatTones } from './coat.ts';
import { createQuadruped, type QuadrupedBuild, type QuadrupedLook } from './quadruped.ts';
import { createResting, type RestingBuild } from './resting.ts';

/** A kind of four-legged animal. */
export interface Animal extends Pick<Subject, 'length' | 'speed'> {
  going: QuadrupedBuild;
  /** How it sits and sleeps; without them it can only stand. */
  resting?: { sitting: RestingBuild; lying: RestingBuild };
  neck: Path2D;
  /** The height of the joint of the neck. */
  neckY: number;
  coats: readonly [Colour, ...Colour[]];
  /** Chooses the look of one animal, once per video; `material` is its coat in daylight. */
  dress: (setting: Setting, coat: CoatTones, material: Colour) => Dress;
}

/** The look of one animal, and what it draws itself. */
interface Dress {
  /** The lower ends of its limbs, and its paws or hooves. */
  near: { sock: Colour; foot: Colour };
  far: { sock: Colour; foot: Colour };
  /** Draws on the trunk while the animal is on its feet. */
  drawMarkings?: QuadrupedLook['drawMarkings'] | undefined;
  drawTail(context: SKRSContext2D, moment: Moment, state: AnimalState): void;
  /** Returns the angle of the head, in radians. */
  headAngle(moment: Moment, state: AnimalState & { turn: number }): number;
  /** Draws what is behind the neck. */
  drawBehind?(context: SKRSContext2D, moment: Moment, state: AnimalState & { turn: number }): void;
  /** Draws on the neck, which clips it. */
  drawNeckwear?(context: SKRSContext2D): void;
  drawHead(context: SKRSContext2D, moment: Moment, state: AnimalState & { turn: number }): void;
}

/** What an animal does, for the parts that it draws itself. */
export interface AnimalState {
  /** Whether it stays in its place. */
  isStill: boolean;
  /** Whether it sits or lies. */
  isResting: boolean;
  isAsleep: boolean;
}

/** The joint of every neck is at the same distance before the middle. */
const neckX = 0.16;

/** Creates the subject that goes, stands, sits or sleeps, as the prompt says. */
export function createAnimal({ length, speed, going, resting, neck, neckY, coats, dress }: Animal): Subject {
  return {
    place: 'ground',
    length,
    speed,
    stillDuring: resting ? ['sit', 'stand', 'sleep'] : ['stand'],
    create(setting) {
      const material = coatColour(setting, coats);
      const tones = coatTones(setting, material);
      const own = dress(setting, tones, material);
      const { action } = setting.storyboard;
      const pose = action === 'sit' ? resting?.sitting : action === 'sleep' ? resting?.lying : undefined;
      const isStill = pose !== undefined || action === 'stand';
      const state = { isStill, isResting: pose !== undefined, isAsleep: pose !== undefined && action === 'sleep' };
      const look: QuadrupedLook = {
        tones,
        near: { tone: css(tones.coat), sock: css(own.near.sock), foot: css(own.near.foot) },
        far: { tone: css(tones.far), sock: css(own.far.sock), foot: css(own.far.foot) },
        drawMarkings: own.drawMarkings,
        drawTail: (context, moment) => own.drawTail(context, moment, state),
        drawHead(context, moment, turn) {
          const now = { ...state, turn };
          drawTurned(context, { x: neckX, y: neckY }, own.headAngle(moment, now), () => {
            own.drawBehind?.(context, moment, now);
            fill(context, tones.coat, neck);
            within(context, neck, () => own.drawNeckwear?.(context));
            own.drawHead(context, moment, now);
          });
        },
      };
      if (pose) return createResting(setting, pose, look);
      return createQuadruped(setting, going, look, isStill ? 0 : speed / length);
    },
  };
}

/** Returns the paws of an animal that has the tone of its coat, or white socks. */
export function pawsOf(coat: CoatTones, white: Colour | null, ink: Colour): Pick<Dress, 'near' | 'far'> {
  const [near, far] = white ? [white, mix(white, ink, 0.35)] : [coat.coat, coat.far];
  return { near: { sock: near, foot: near }, far: { sock: far, foot: far } };
}

/** Returns the angle of a pet's head: it nods in step and, at rest, looks around a little. */
export function petHeadAngle(
  moment: Moment,
  { turn, isStill, isAsleep }: AnimalState & { turn: number },
  { nod, sway }: { nod: number; sway: number },
): number {
  return nod * Math.sin(4 * Math.PI * turn) + (isAsleep ? 0.01 : isStill ? 0.06 : sway) * moment.wave(0.3);
}
