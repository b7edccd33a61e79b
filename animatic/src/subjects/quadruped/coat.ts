import { type Colour, colour, mix } from '../../drawing/colour.ts';
import { namedColours } from '../../drawing/named-colours.ts';
import type { Setting } from '../../drawing/setting.ts';
import type { ColourName } from '../../storyboard/vocabulary.ts';

/** The colours of an animal in the light of the picture. */
export interface CoatTones {
  coat: Colour;
  /** Lit by the sky, along the back. */
  rim: Colour;
  /** The belly's side. */
  shade: Colour;
  /** The limbs on the other side. */
  far: Colour;
}

/** Named colours as fur has them: a "red" dog is chestnut, and a "yellow" one golden. The others are used as they are. */
const furs: Partial<Record<ColourName, Colour>> = {
  red: colour(0.52, 0.13, 42),
  orange: colour(0.7, 0.14, 60),
  yellow: colour(0.78, 0.1, 82),
  white: colour(0.93, 0.012, 85),
  black: colour(0.3, 0.012, 280),
};

/** Returns the colour of the coat: the one that the prompt names, or one of the animal's own. */
export function coatColour({ storyboard, dice }: Setting, own: readonly [Colour, ...Colour[]]): Colour {
  const random = dice.pick(own);
  const [name] = storyboard.colours;
  return name ? (furs[name] ?? namedColours[name]) : random;
}

/** Returns the tones of a coat in the light of the picture. */
export function coatTones({ palette }: Setting, material: Colour): CoatTones {
  const coat = palette.litSubject(material);
  return {
    coat,
    rim: mix(coat, palette.glow, palette.isNight ? 0.34 : 0.38),
    shade: mix(coat, palette.ink, 0.26),
    far: mix(coat, palette.ink, 0.42),
  };
}

/** Returns the colour of a collar or a blanket: the accent, or another if the coat has it already. */
export function gearColour({ palette, storyboard }: Setting): Colour {
  const isTaken = storyboard.colours.length > 0;
  const [, second] = storyboard.colours;
  if (second) return palette.litSubject(namedColours[second]);
  return isTaken ? palette.litSubject(colour(0.6, 0.19, 27)) : palette.accent;
}
