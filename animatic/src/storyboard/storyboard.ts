import type {
  ActionName,
  CameraMoveName,
  ColourName,
  FeatureName,
  SceneName,
  SeasonName,
  SubjectName,
  TimeName,
  WeatherName,
} from './vocabulary.ts';

/** The direction of a camera move. */
export type Direction = 'left' | 'right' | 'up' | 'down' | 'in' | 'out';
/** The directions that a prompt names; a move without one uses its default. */
export type Directions = Readonly<Partial<Record<CameraMoveName, Direction>>>;

/** What a prompt asks for; what it leaves open is null or empty. */
export interface PromptReading {
  scene: SceneName | null;
  time: TimeName | null;
  weather: WeatherName | null;
  season: SeasonName | null;
  subject: SubjectName | null;
  action: ActionName | null;
  /** Only those that the scene can have. */
  features: readonly FeatureName[];
  /** In the order of the prompt. */
  colours: readonly ColourName[];
  cameraMoves: readonly CameraMoveName[];
  directions: Directions;
  /** What the prompt rules out: "no clouds", "not at night". */
  ruledOut: {
    scenes: readonly SceneName[];
    times: readonly TimeName[];
    weathers: readonly WeatherName[];
    seasons: readonly SeasonName[];
  };
  /**
   * Words that nothing is drawn for, as they were written: unknown ones, and verbs and numbers that the drawing does not
   * fulfil. At most 12, each shortened to at most 24 characters.
   */
  notUnderstood: readonly string[];
  /** The number of further such words. */
  furtherNotUnderstood: number;
  /** Words that were understood but not used, such as a second scene; limited in the same way. */
  leftOut: readonly string[];
}

/** What is drawn, with everything decided. */
export interface Storyboard {
  scene: SceneName;
  time: TimeName;
  weather: WeatherName;
  season: SeasonName;
  subject: SubjectName | null;
  action: ActionName | null;
  features: readonly FeatureName[];
  colours: readonly ColourName[];
  cameraMoves: readonly CameraMoveName[];
  directions: Directions;
}
