import { type Found, findEntries } from './find-entries.ts';
import type { Entry, Kind, Meaning } from './lexicon.ts';
import { readDirections } from './read-directions.ts';
import { splitWords, writtenOf } from './split-words.ts';
import type { Directions, PromptReading } from './storyboard.ts';
import type { WeatherName } from './vocabulary.ts';

const mostWordsTold = 12;
const longestWordTold = 24;

/** What the drawing of a weather has in it: "clouds and rain" is rain, and nothing is left out. */
const weathersWithin: Readonly<Record<WeatherName, readonly WeatherName[]>> = {
  clear: [],
  clouds: [],
  rain: ['clouds'],
  storm: ['rain', 'clouds'],
  snow: ['clouds'],
  fog: ['clouds'],
  stars: ['clear'],
  aurora: ['stars', 'clear'],
};

type NameOf<Of extends Kind> = (Meaning & { kind: Of })['name'];
/** What was taken so far, one name a kind. */
type Places = Partial<Record<Kind, string>>;

/** Reads a prompt into what it asks for. Pure: the same words, the same reading. What is named first counts. */
export function readPrompt(prompt: string): PromptReading {
  const words = splitWords(prompt);
  const { found: all, negated, unknown } = findEntries(words);
  // A satellite orbits a planet: where there is space the word is no camera's, unless the prompt says "orbit shot".
  const isInSpace = all.some(({ entry }) => [...entry.meanings, ...entry.hints].some(({ name }) => name === 'space'));
  const found = isInSpace ? all.filter(({ entry }) => entry.phrase !== 'orbit') : all;

  const ruledOut = ruledOutBy(negated);
  const places: Places = {};
  const withoutPlace = found.filter(({ entry }) => !isPlaced(entry, places)).map((one) => writtenOf(one.words));
  takeHints(found, ruledOut, places);
  // Only names of a kind are put under that kind.
  const placed = <Of extends Kind>(kind: Of) => (places[kind] ?? null) as NameOf<Of> | null;

  const directed = readDirections(words, found);
  const directions: Directions = Object.fromEntries(
    directed.toReversed().map(({ move, direction }) => [move, direction]),
  );
  // A move goes one way, the first.
  const otherWays = directed
    .filter(({ move, direction }) => directions[move] !== direction)
    .map(({ written }) => written);
  const notUnderstood = distinct(unknown.map(({ written }) => written));
  return {
    scene: placed('scenes'),
    time: placed('times'),
    weather: placed('weathers'),
    season: placed('seasons'),
    subject: placed('subjects'),
    colours: namesIn(found, 'colours'),
    cameraMoves: [...new Set([...namesIn(found, 'cameraMoves'), ...directed.map(({ move }) => move)])],
    directions,
    ruledOut,
    notUnderstood: notUnderstood.slice(0, mostWordsTold).map(shorten),
    furtherNotUnderstood: Math.max(0, notUnderstood.length - mostWordsTold),
    leftOut: distinct([...withoutPlace, ...otherWays])
      .slice(0, mostWordsTold)
      .map(shorten),
  };
}

/** Gives the meanings of a word their places. False: it has meanings, and others have taken all their places. */
function isPlaced({ meanings }: Entry, places: Places): boolean {
  const taken = meanings.map(({ kind, name }) => {
    // There is room for any number of these.
    if (kind === 'colours' || kind === 'cameraMoves' || kind === 'directions') return true;
    const present = places[kind];
    if (present === undefined || (kind === 'weathers' && weathersWithin[name].some((part) => part === present)))
      places[kind] = name;
    return places[kind] === name || (kind === 'weathers' && isWithin(name, present));
  });
  return taken.length === 0 || taken.includes(true);
}

function isWithin(name: WeatherName, present: string | undefined): boolean {
  return Object.entries(weathersWithin).some(([other, parts]) => other === present && parts.includes(name));
}

function takeHints(found: readonly Found[], ruledOut: PromptReading['ruledOut'], places: Places): void {
  const denied: Partial<Record<Kind, readonly string[]>> = ruledOut;
  for (const { kind, name } of found.flatMap(({ entry }) => entry.hints)) {
    if (!denied[kind]?.includes(name)) places[kind] ??= name;
  }
}

function ruledOutBy(negated: readonly Found[]): PromptReading['ruledOut'] {
  return {
    scenes: namesIn(negated, 'scenes'),
    times: namesIn(negated, 'times'),
    weathers: namesIn(negated, 'weathers'),
    seasons: namesIn(negated, 'seasons'),
  };
}

/** What stands for something of a kind, in order and once. */
function namesIn<Of extends Kind>(found: readonly Found[], wanted: Of): NameOf<Of>[] {
  const meanings = found.flatMap(({ entry }) => entry.meanings).filter(({ kind }) => kind === wanted);
  return [...new Set(meanings.map(({ name }) => name as NameOf<Of>))]; // of this kind, by the filter
}

/** In whatever case, once. */
function distinct(words: readonly string[]): string[] {
  const first = new Map<string, string>();
  for (const word of words) if (!first.has(word.toLowerCase())) first.set(word.toLowerCase(), word);
  return [...first.values()];
}

/** By code points: half a character could not be stored. */
function shorten(word: string): string {
  const characters = [...word];
  return characters.length <= longestWordTold ? word : `${characters.slice(0, longestWordTold - 1).join('')}…`;
}
