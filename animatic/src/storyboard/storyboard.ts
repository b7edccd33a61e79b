import type {
  CameraMoveName,
  ColourName,
  SceneName,
  SeasonName,
  SubjectName,
  TimeName,
  WeatherName,
} from './vocabulary.ts';

/** Which way a camera move goes. */
export type Direction = 'left' | 'right' | 'up' | 'down' | 'in' | 'out';
/** Of the moves that were told which way: without it, a move goes its own. */
export type Directions = Readonly<Partial<Record<CameraMoveName, Direction>>>;

/** What a prompt asks for; null and empty is what it leaves open. */
export interface PromptReading {
  scene: SceneName | null;
  time: TimeName | null;
  weather: WeatherName | null;
  season: SeasonName | null;
  subject: SubjectName | null;
  /** In the order named. */
  colours: readonly ColourName[];
  cameraMoves: readonly CameraMoveName[];
  directions: Directions;
  /** What the prompt does not want: "no clouds", "not at night". */
  ruledOut: {
    scenes: readonly SceneName[];
    times: readonly TimeName[];
    weathers: readonly WeatherName[];
    seasons: readonly SeasonName[];
  };
  /** Words that nothing stands for, as they were written; a dozen at most, and none longer than 24 characters. */
  notUnderstood: readonly string[];
  /** How many more there are. */
  furtherNotUnderstood: number;
  /** Words that were understood and have no place: a second scene, a second subject. As many and as long at most. */
  leftOut: readonly string[];
}

/** What is drawn: everything decided. */
export interface Storyboard {
  scene: SceneName;
  time: TimeName;
  weather: WeatherName;
  season: SeasonName;
  subject: SubjectName | null;
  colours: readonly ColourName[];
  cameraMoves: readonly CameraMoveName[];
  directions: Directions;
}
