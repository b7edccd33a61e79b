import type { Dice } from '../dice.ts';
import type { ColourName, SeasonName, TimeName } from '../storyboard/vocabulary.ts';
import { type Colour, colour, lighten, mix, saturate } from './colour.ts';
import { namedColours } from './named-colours.ts';
import { type Materials, materialsOf } from './season-materials.ts';
import { type LightOfTime, lightsOfTimes } from './times-of-day.ts';

/** How weather changes the light. Each value is 0..1. */
export interface WeatherLight {
  /** Greys the sky and takes the sun away. */
  cover: number;
  /** Brings the haze nearer. */
  haze: number;
  /** Darkens everything. */
  dim: number;
}

/** The colours of one video, all in the same light. */
export interface Palette extends Materials {
  skyTop: Colour;
  skyMiddle: Colour;
  skyLow: Colour;
  /** The disc of the sun, or of the moon. */
  sun: Colour;
  glow: Colour;
  /** How strongly the sun shows, 0..1. */
  sunStrength: number;
  /** The colour that far things fade into. */
  haze: Colour;
  /** The darkest colour, for silhouettes in front. */
  ink: Colour;
  /** The subject's own colour, in this light. */
  accent: Colour;
  /** Windows, lamps, headlights. */
  lamp: Colour;
  isNight: boolean;
  /** Whether it is so bright that lamps are off. */
  isDay: boolean;
  /** Returns any colour as it looks in this light. */
  lit(material: Colour): Colour;
  /** Returns a colour of the subject, which gets more of the light, so that it stands out. */
  litSubject(material: Colour): Colour;
  /** Returns a colour that is already lit as it looks at a distance: at depth 0 haze, at depth 1 itself. */
  far(lit: Colour, depth: number): Colour;
}

interface Wanted {
  time: TimeName;
  season: SeasonName;
  colours: readonly ColourName[];
  hasSubject: boolean;
  weather: WeatherLight;
}

const accents = [
  colour(0.62, 0.2, 28),
  colour(0.75, 0.16, 62),
  colour(0.84, 0.15, 92),
  colour(0.6, 0.12, 205),
] as const;

/** Creates a video's palette: time sets the light, the season the materials; weather and named colours shift both. */
export function createPalette({ time, season, colours, hasSubject, weather: named }: Wanted, dice: Dice): Palette {
  // The night is dark already, so clouds must not take the rest of the light.
  const weather = { ...named, dim: named.dim * (time === 'night' ? 0.35 : 1) };
  const light = dice.pick(lightsOfTimes[time]);
  const turn = dice.between(-10, 10);
  const [first, second] = colours.map((name) => namedColours[name]);
  // The first colour is the subject's, if there is one; the sky takes the next.
  const wash = hasSubject ? second : first;
  const randomAccent = dice.pick(accents);
  const accent = first ?? randomAccent;

  const [skyTop, skyMiddle, skyLow] = light.sky;
  const grey = colour(skyMiddle.lightness * (1 - 0.25 * weather.dim), 0.015, 250);
  const sky = (base: Colour, share: number): Colour => {
    const turned = { ...base, hue: base.hue + turn };
    const washed = wash ? mix(turned, { ...wash, lightness: turned.lightness }, share) : turned;
    return lighten(mix(washed, grey, 0.75 * weather.cover), -0.12 * weather.dim);
  };
  const haze = sky(light.haze, 0.55);
  const lit = (material: Colour) => illuminate(material, light, weather);
  const subjectTint = { ...light.tint, amount: light.tint.amount / 2 };
  const subjectLight = { ...light, brightness: 0.35 + 0.65 * light.brightness, tint: subjectTint };
  const litSubject = (material: Colour) => illuminate(material, subjectLight, weather);
  const reach = 0.88 + 0.12 * weather.haze;
  return {
    ...materialsOf(season, lit),
    skyTop: sky(skyTop, 0.3),
    skyMiddle: sky(skyMiddle, 0.5),
    skyLow: sky(skyLow, 0.6),
    sun: mix(light.sun, haze, 0.7 * weather.cover),
    glow: sky(light.glow, 0.4),
    sunStrength: 1 - 0.9 * weather.cover,
    haze,
    ink: lighten(lit(colour(0.3, 0.03, 260)), -0.1),
    accent: litSubject(accent),
    lamp: colour(0.9, 0.12, 80),
    isNight: time === 'night',
    isDay: time === 'day' && weather.dim < 0.5,
    lit,
    litSubject,
    far(base, depth) {
      const nearness = Math.min(1, Math.max(0, depth)) ** (0.8 + 1.4 * weather.haze);
      return mix(base, haze, (1 - nearness) * reach);
    },
  };
}

function illuminate(material: Colour, light: LightOfTime, { dim, cover }: WeatherLight): Colour {
  const brightness = light.brightness * (1 - 0.35 * dim);
  const shaded = { ...material, lightness: material.lightness * brightness };
  return saturate(mix(shaded, light.tint.colour, light.tint.amount), 1 - 0.35 * cover);
}
