import type { Dice } from '../dice.ts';
import type { PromptReading, Storyboard } from './storyboard.ts';
import type { SceneName, SeasonName, SubjectName, TimeName, WeatherName } from './vocabulary.ts';

/** The options of one random choice; an item that is listed twice is chosen twice as often. */
type Choices<Name> = readonly [Name, ...Name[]];

/** The scenes of a subject if the prompt names no scene. */
const homes: Record<SubjectName, Choices<SceneName>> = {
  boat: ['sea'],
  bird: ['mountains', 'sea', 'forest'],
  car: ['desert', 'mountains'],
  balloon: ['mountains', 'desert'],
  person: ['mountains', 'forest', 'desert'],
  fish: ['sea'],
  train: ['mountains', 'desert'],
  rocket: ['space'],
  cat: ['town', 'city', 'forest'],
  dog: ['forest', 'mountains', 'town'],
  horse: ['mountains', 'desert'],
  robot: ['city', 'space'],
};

/** The scenes that show a weather best, if the prompt names neither a scene nor a subject. */
const weatherScenes: Record<WeatherName, Choices<SceneName>> = {
  clear: ['mountains', 'sea', 'desert'],
  clouds: ['mountains', 'sea'],
  rain: ['forest', 'sea', 'mountains'],
  storm: ['sea', 'mountains'],
  snow: ['mountains', 'forest'],
  fog: ['forest', 'mountains'],
  stars: ['mountains', 'desert', 'sea'],
  aurora: ['mountains', 'sea'],
};

const seasonScenes: Record<SeasonName, Choices<SceneName>> = {
  spring: ['forest', 'mountains'],
  summer: ['sea', 'mountains'],
  autumn: ['forest', 'mountains'],
  winter: ['mountains', 'forest'],
};

const landscapes: Choices<SceneName> = ['mountains', 'sea', 'desert'];

/** Chooses at random what the prompt leaves open, from options that fit what the prompt names. */
export function decideStoryboard(reading: PromptReading, dice: Dice): Storyboard {
  const { subject, action, features, colours, cameraMoves, directions, ruledOut } = reading;
  // Always one random choice per part, in this order, used or not: an additional word in the prompt then changes only
  // what it names and what depends on that.
  const randomScene = dice.pick(without(sceneChoices(reading), ruledOut.scenes));
  const scene = reading.scene ?? randomScene;
  const randomTime = dice.pick(without(timeChoices(reading, scene), ruledOut.times));
  const time = reading.time ?? randomTime;
  const randomWeather = dice.pick(without(weatherChoices(reading, scene, time), ruledOut.weathers));
  const weather = reading.weather ?? randomWeather;
  const randomSeason = dice.pick(without(seasonChoices(weather), ruledOut.seasons));
  const season = reading.season ?? randomSeason;
  return { scene, time, weather, season, subject, action, features, colours, cameraMoves, directions };
}

function sceneChoices({ subject, weather, season, time }: PromptReading): Choices<SceneName> {
  if (subject) return homes[subject];
  if (weather) return weatherScenes[weather];
  if (season) return seasonScenes[season];
  return time ? landscapes : ['abstract'];
}

function timeChoices({ weather }: PromptReading, scene: SceneName): Choices<TimeName> {
  if (weather === 'stars' || weather === 'aurora' || scene === 'space') return ['night'];
  // A clear sky at night would be the weather "stars".
  if (weather === 'clear') return ['dawn', 'day', 'day', 'dusk'];
  return ['dawn', 'day', 'day', 'dusk', 'dusk', 'night'];
}

function weatherChoices({ season }: PromptReading, scene: SceneName, time: TimeName): Choices<WeatherName> {
  // Space has its own stars, and an abstract picture has no sky.
  if (scene === 'space' || scene === 'abstract') return ['clear'];
  if (season === 'winter' && scene !== 'desert') return ['snow', 'snow', 'clouds', 'clear'];
  if (time === 'night') return ['stars', 'stars', 'clear', 'clouds'];
  if (season === 'autumn' && scene !== 'desert') return ['clouds', 'clouds', 'clear', 'fog'];
  return ['clear', 'clouds', 'clouds'];
}

function seasonChoices(weather: WeatherName): Choices<SeasonName> {
  if (weather === 'snow') return ['winter'];
  if (weather === 'aurora') return ['winter', 'autumn'];
  if (weather === 'rain' || weather === 'storm') return ['spring', 'summer', 'autumn'];
  return ['spring', 'summer', 'summer', 'autumn'];
}

/** Returns the choices without those ruled out, or all of them if none would be left. */
function without<Name>(choices: Choices<Name>, ruledOut: readonly Name[]): Choices<Name> {
  const [first, ...others] = choices.filter((choice) => !ruledOut.includes(choice));
  return first === undefined ? choices : [first, ...others];
}
