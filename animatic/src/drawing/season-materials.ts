import type { SeasonName } from '../storyboard/vocabulary.ts';
import { type Colour, colour, lighten } from './colour.ts';

/** The colours of the materials in a picture. */
export interface Materials {
  /** Leaves and needles. */
  foliage: Colour;
  /** Grass, fields, earth. */
  land: Colour;
  rock: Colour;
  /** Snow, which lies on top of things. */
  cover: Colour;
  water: Colour;
  sand: Colour;
  /** How far down the cover reaches, 0..1; 1 means everywhere, as in winter. */
  coverAmount: number;
}

const everywhere = {
  rock: colour(0.52, 0.035, 270),
  water: colour(0.5, 0.1, 235),
  sand: colour(0.8, 0.09, 72),
  cover: colour(0.97, 0.012, 240),
};

const seasons: Record<SeasonName, Materials> = {
  spring: { ...everywhere, foliage: colour(0.66, 0.14, 132), land: colour(0.72, 0.13, 122), coverAmount: 0.35 },
  summer: { ...everywhere, foliage: colour(0.52, 0.11, 146), land: colour(0.62, 0.12, 130), coverAmount: 0.22 },
  autumn: { ...everywhere, foliage: colour(0.62, 0.16, 52), land: colour(0.72, 0.12, 86), coverAmount: 0.28 },
  winter: { ...everywhere, foliage: colour(0.55, 0.04, 190), land: colour(0.93, 0.015, 235), coverAmount: 1 },
};

/** How much lighter snow is, because it reflects what little light there is. */
const snowGlow = 0.13;

/** Returns the season's materials in a light. */
export function materialsOf(season: SeasonName, lit: (material: Colour) => Colour): Materials {
  const { foliage, land, rock, cover, water, sand, coverAmount } = seasons[season];
  return {
    foliage: lit(foliage),
    land: lighten(lit(land), coverAmount === 1 ? snowGlow : 0),
    rock: lit(rock),
    cover: lighten(lit(cover), snowGlow),
    water: lit(water),
    sand: lit(sand),
    coverAmount,
  };
}
