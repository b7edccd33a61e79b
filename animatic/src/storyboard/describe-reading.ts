import type { PromptReading } from './storyboard.ts';
import type { CameraMoveName, FeatureName, SceneName, TimeName, WeatherName } from './vocabulary.ts';

const scenes: Record<SceneName, string> = {
  mountains: 'mountains',
  sea: 'the sea',
  forest: 'a forest',
  city: 'a city',
  town: 'an old town',
  desert: 'a desert',
  space: 'space',
  abstract: 'an abstract picture',
};
const times: Record<TimeName, string> = { dawn: 'at dawn', day: 'by day', dusk: 'at dusk', night: 'at night' };
const weathers: Record<WeatherName, string> = {
  clear: 'under a clear sky',
  clouds: 'under clouds',
  rain: 'in rain',
  storm: 'in a storm',
  snow: 'in falling snow',
  fog: 'in fog',
  stars: 'under stars',
  aurora: 'under northern lights',
};
const features: Record<FeatureName, string> = {
  castle: 'a castle',
  lighthouse: 'a lighthouse',
  rocks: 'rocks',
  breakers: 'breaking waves',
  neon: 'neon signs',
  paperBoat: 'a paper boat',
};
const cameraMoves: Record<CameraMoveName, string> = {
  pan: 'a pan',
  tilt: 'a tilt',
  zoom: 'a zoom',
  dolly: 'a dolly move',
  orbit: 'an orbit',
  aerial: 'an aerial view',
  closeUp: 'a close-up',
  slowMotion: 'slow motion',
};

/** Describes what a prompt names, without what the dice add: "the sea at dusk with a boat". */
export function describeReading(reading: PromptReading): string {
  const { scene, time, weather, season, colours, cameraMoves: moves } = reading;
  const things = reading.features.filter((feature) => feature !== 'paperBoat').map((feature) => features[feature]);
  const subject = reading.features.includes('paperBoat')
    ? features.paperBoat
    : reading.subject && `a ${reading.subject}`;
  const isLandscape = Boolean(time ?? weather ?? season);
  const place = scene ? scenes[scene] : isLandscape ? 'a landscape' : scenes.abstract;
  const picture = [
    // The dice choose the scene of a subject without one.
    subject && !scene ? subject : place,
    time && times[time],
    weather && weathers[weather],
    season && `in ${season}`,
    // A feature always has a scene.
    scene && (subject || things.length > 0) && `with ${listed([...(subject ? [subject] : []), ...things])}`,
    colours.length > 0 && `in ${listed(colours)}`,
  ];
  const filmed = moves.length > 0 ? `, filmed with ${listed(moves.map((move) => cameraMoves[move]))}` : '';
  return `${picture.filter(Boolean).join(' ')}${filmed}`;
}

/** Joins items as "a, b and c". */
export function listed(items: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ${conjunction} ${items.at(-1)}`;
}
