import type { TimeName } from '../storyboard/vocabulary.ts';
import { type Colour, colour } from './colour.ts';

/** The light of a time of day: its sky, and how it changes everything below. */
export interface LightOfTime {
  sky: readonly [top: Colour, middle: Colour, low: Colour];
  sun: Colour;
  glow: Colour;
  haze: Colour;
  /** How bright things are, relative to noon. */
  brightness: number;
  /** The colour that shadows take, and how much of it. */
  tint: { colour: Colour; amount: number };
}

/** Several lights for each time; the seed picks one. */
export const lightsOfTimes: Record<TimeName, readonly [LightOfTime, ...LightOfTime[]]> = {
  dawn: [
    {
      sky: [colour(0.58, 0.09, 265), colour(0.76, 0.08, 330), colour(0.9, 0.09, 65)],
      sun: colour(0.98, 0.05, 90),
      glow: colour(0.9, 0.12, 65),
      haze: colour(0.82, 0.075, 40),
      brightness: 0.84,
      tint: { colour: colour(0.5, 0.07, 320), amount: 0.24 },
    },
    {
      sky: [colour(0.5, 0.08, 245), colour(0.74, 0.06, 210), colour(0.91, 0.08, 85)],
      sun: colour(0.98, 0.06, 95),
      glow: colour(0.92, 0.11, 85),
      haze: colour(0.83, 0.05, 100),
      brightness: 0.86,
      tint: { colour: colour(0.48, 0.06, 240), amount: 0.2 },
    },
    {
      sky: [colour(0.64, 0.08, 290), colour(0.8, 0.08, 355), colour(0.93, 0.07, 75)],
      sun: colour(0.99, 0.04, 85),
      glow: colour(0.93, 0.1, 50),
      haze: colour(0.86, 0.06, 20),
      brightness: 0.86,
      tint: { colour: colour(0.52, 0.07, 345), amount: 0.22 },
    },
  ],
  day: [
    {
      sky: [colour(0.6, 0.13, 250), colour(0.75, 0.1, 238), colour(0.93, 0.04, 215)],
      sun: colour(0.99, 0.03, 100),
      glow: colour(0.97, 0.05, 95),
      haze: colour(0.87, 0.045, 225),
      brightness: 0.98,
      tint: { colour: colour(0.55, 0.06, 250), amount: 0.08 },
    },
    {
      sky: [colour(0.64, 0.1, 225), colour(0.8, 0.08, 205), colour(0.95, 0.05, 110)],
      sun: colour(0.99, 0.04, 105),
      glow: colour(0.98, 0.06, 100),
      haze: colour(0.9, 0.045, 170),
      brightness: 1,
      tint: { colour: colour(0.55, 0.05, 220), amount: 0.08 },
    },
    {
      sky: [colour(0.57, 0.12, 262), colour(0.74, 0.09, 252), colour(0.94, 0.05, 80)],
      sun: colour(0.99, 0.04, 95),
      glow: colour(0.98, 0.06, 90),
      haze: colour(0.89, 0.04, 85),
      brightness: 1,
      tint: { colour: colour(0.55, 0.05, 265), amount: 0.08 },
    },
  ],
  dusk: [
    {
      sky: [colour(0.33, 0.11, 290), colour(0.57, 0.16, 355), colour(0.82, 0.15, 62)],
      sun: colour(0.94, 0.11, 85),
      glow: colour(0.82, 0.17, 55),
      haze: colour(0.66, 0.14, 32),
      brightness: 0.58,
      tint: { colour: colour(0.34, 0.1, 318), amount: 0.38 },
    },
    {
      sky: [colour(0.36, 0.09, 255), colour(0.6, 0.12, 30), colour(0.84, 0.15, 75)],
      sun: colour(0.95, 0.1, 90),
      glow: colour(0.85, 0.16, 70),
      haze: colour(0.68, 0.12, 48),
      brightness: 0.58,
      tint: { colour: colour(0.32, 0.08, 285), amount: 0.38 },
    },
    {
      sky: [colour(0.28, 0.08, 268), colour(0.5, 0.14, 18), colour(0.77, 0.16, 45)],
      sun: colour(0.93, 0.12, 70),
      glow: colour(0.8, 0.18, 42),
      haze: colour(0.6, 0.14, 22),
      brightness: 0.58,
      tint: { colour: colour(0.3, 0.08, 275), amount: 0.36 },
    },
  ],
  night: [
    {
      sky: [colour(0.2, 0.07, 275), colour(0.31, 0.09, 268), colour(0.47, 0.09, 248)],
      sun: colour(0.97, 0.02, 230),
      glow: colour(0.7, 0.07, 240),
      haze: colour(0.42, 0.08, 252),
      brightness: 0.5,
      tint: { colour: colour(0.24, 0.07, 268), amount: 0.56 },
    },
    {
      sky: [colour(0.2, 0.05, 235), colour(0.32, 0.07, 218), colour(0.5, 0.08, 190)],
      sun: colour(0.97, 0.03, 110),
      glow: colour(0.72, 0.07, 180),
      haze: colour(0.44, 0.07, 205),
      brightness: 0.5,
      tint: { colour: colour(0.24, 0.06, 225), amount: 0.56 },
    },
    {
      sky: [colour(0.2, 0.07, 297), colour(0.31, 0.1, 300), colour(0.47, 0.11, 325)],
      sun: colour(0.97, 0.02, 300),
      glow: colour(0.72, 0.09, 315),
      haze: colour(0.43, 0.09, 310),
      brightness: 0.5,
      tint: { colour: colour(0.24, 0.07, 298), amount: 0.56 },
    },
  ],
};
