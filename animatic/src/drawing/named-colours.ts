import type { ColourName } from '../storyboard/vocabulary.ts';
import { type Colour, colour } from './colour.ts';

/** The colours that prompts can name, as they look in daylight. */
export const namedColours: Record<ColourName, Colour> = {
  red: colour(0.6, 0.21, 27),
  orange: colour(0.73, 0.17, 58),
  yellow: colour(0.87, 0.16, 95),
  green: colour(0.62, 0.16, 148),
  teal: colour(0.65, 0.11, 200),
  blue: colour(0.55, 0.16, 255),
  purple: colour(0.5, 0.17, 303),
  pink: colour(0.74, 0.14, 355),
  white: colour(0.96, 0.01, 90),
  grey: colour(0.6, 0.012, 260),
  black: colour(0.24, 0.015, 270),
  brown: colour(0.45, 0.075, 55),
};
