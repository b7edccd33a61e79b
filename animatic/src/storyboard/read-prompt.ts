import { findDropped } from './find-dropped.ts';
import { type Found, findEntries } from './find-entries.ts';
import type { Entry, Kind, Meaning } from './lexicon.ts';
import { readDirections } from './read-directions.ts';
import { splitWords, writtenOf } from './split-words.ts';
import type { Directions, PromptReading } from './storyboard.ts';
import { type FeatureName, featureScenes, type SceneName, type SubjectName, type WeatherName } from './vocabulary.ts';

const mostWordsReported = 12;
const longestReportedWord = 24;

/** The weathers that the drawing of another weather includes: "clouds and rain" is rain, and nothing is left out. */
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
/** The names chosen so far, one per kind. */
type Places = Partial<Record<Kind, string>>;

/** Reads what a prompt asks for, purely: the same words give the same reading. The first name of each kind is used. */
export function readPrompt(prompt: string): PromptReading {
  const words = splitWords(prompt);
  const findings = findEntries(words);
  const { found: all, negated, unknown } = findings;
  // A satellite orbits a planet, so in space "orbit" is not a camera move unless the prompt says "orbit shot".
  const isInSpace = all.some(({ entry }) => [...entry.meanings, ...entry.hints].some(({ name }) => name === 'space'));
  const found = all.filter(
    (one, index) => !(isInSpace && one.entry.phrase === 'orbit') && !isOfScenery(one, all[index - 1]),
  );

  const ruledOut = ruledOutBy(negated);
  const places: Places = {};
  const placedEntries = found.filter(({ entry }) => placeMeanings(entry, places));
  const withPlace = new Set(placedEntries);
  const withoutPlace = found.filter((one) => !withPlace.has(one)).map((one) => writtenOf(one.words));
  const asked = placedEntries.filter(({ entry }) => entry.meanings.some(({ kind }) => kind === 'features'));
  placeScene(found, namesIn(asked, 'features'), ruledOut, places);
  takeHints(found, ruledOut, places);
  // `places` has only names of a kind under that kind.
  const placed = <Of extends Kind>(kind: Of) => (places[kind] ?? null) as NameOf<Of> | null;

  const directed = readDirections(words, found);
  const directions: Directions = Object.fromEntries(
    directed.toReversed().map(({ move, direction }) => [move, direction]),
  );
  // A move has one direction, the first; others are left out.
  const otherDirections = directed
    .filter(({ move, direction }) => directions[move] !== direction)
    .map(({ written }) => written);
  const scene = placed('scenes');
  const subject = placed('subjects');
  const isDrawnHere = ({ entry }: Found) =>
    namesIn([{ entry }], 'features').some((feature) => isDrawn(feature, scene, subject));
  const dropped = findDropped(words, { ...findings, found }, { subject, action: placed('actions') });
  for (const word of unknown) dropped.add(word);
  for (const word of asked.filter((one) => !isDrawnHere(one)).flatMap((one) => one.words)) dropped.add(word);
  const notUnderstood = distinct(words.filter((word) => dropped.has(word)).map(({ written }) => written));
  return {
    scene,
    time: placed('times'),
    weather: placed('weathers'),
    season: placed('seasons'),
    subject,
    action: placed('actions'),
    features: namesIn(asked.filter(isDrawnHere), 'features'),
    colours: namesIn(found, 'colours'),
    cameraMoves: [...new Set([...namesIn(found, 'cameraMoves'), ...directed.map(({ move }) => move)])],
    directions,
    ruledOut,
    notUnderstood: notUnderstood.slice(0, mostWordsReported).map(shorten),
    furtherNotUnderstood: Math.max(0, notUnderstood.length - mostWordsReported),
    leftOut: distinct([...withoutPlace, ...otherDirections])
      .slice(0, mostWordsReported)
      .map(shorten),
  };
}

/** Returns whether an action is that of the thing directly before it: a lighthouse stands, northern lights dance. */
function isOfScenery({ entry, at }: Found, before: Found | undefined): boolean {
  if (!before || before.at + before.words.length !== at) return false;
  return (
    entry.meanings.some(({ kind }) => kind === 'actions') &&
    before.entry.meanings.some(({ kind }) => kind === 'features' || kind === 'weathers') &&
    before.entry.meanings.every(({ kind }) => kind !== 'subjects')
  );
}

/** Stores a word's meanings in `places`; returns false if it has some and other words have taken all their places. */
function placeMeanings({ meanings }: Entry, places: Places): boolean {
  const taken = meanings.map(({ kind, name }) => {
    // A prompt can have any number of these. A paper boat is a subject, so it needs the place of one.
    if (kind === 'features') return meanings.length === 1;
    if (kind === 'colours' || kind === 'cameraMoves' || kind === 'directions') return true;
    // `findDropped` reports those that the subject does not do.
    if (kind === 'actions') {
      places[kind] ??= name;
      return true;
    }
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

/** Chooses the scene of a prompt that names none: of those hinted at and those with a feature, the one with most. */
function placeScene(
  found: readonly Found[],
  features: readonly FeatureName[],
  ruledOut: PromptReading['ruledOut'],
  places: Places,
): void {
  const named = features.filter((feature) => feature !== 'paperBoat');
  if (places.scenes !== undefined || named.length === 0) return;
  const hinted = found
    .flatMap(({ entry }) => entry.hints)
    .flatMap((hint) => (hint.kind === 'scenes' ? [hint.name] : []));
  const countIn = (scene: SceneName) => named.filter((feature) => featureScenes[feature].includes(scene)).length;
  const [best] = [...hinted, ...named.flatMap((feature) => featureScenes[feature])]
    .filter((scene) => !ruledOut.scenes.includes(scene))
    .toSorted((one, other) => countIn(other) - countIn(one));
  if (best !== undefined) places.scenes = best;
}

/** Returns whether a feature appears in the picture; under water, where fish are, none does. */
function isDrawn(feature: FeatureName, scene: SceneName | null, subject: SubjectName | null): boolean {
  if (feature === 'paperBoat') return subject === 'boat';
  return scene !== null && featureScenes[feature].includes(scene) && !(scene === 'sea' && subject === 'fish');
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

/** Returns the names of one kind, in order and once each. */
function namesIn<Of extends Kind>(found: readonly Pick<Found, 'entry'>[], wanted: Of): NameOf<Of>[] {
  const meanings = found.flatMap(({ entry }) => entry.meanings).filter(({ kind }) => kind === wanted);
  return [...new Set(meanings.map(({ name }) => name as NameOf<Of>))]; // of this kind, by the filter
}

/** Removes duplicates, ignoring case. */
function distinct(words: readonly string[]): string[] {
  const first = new Map<string, string>();
  for (const word of words) if (!first.has(word.toLowerCase())) first.set(word.toLowerCase(), word);
  return [...first.values()];
}

/** Shortens a word by code points, because half of a surrogate pair could not be stored. */
function shorten(word: string): string {
  const characters = [...word];
  return characters.length <= longestReportedWord ? word : `${characters.slice(0, longestReportedWord - 1).join('')}…`;
}
