import { type Director, type Fate, type Place, placeOf, type Step } from './scheduler.ts';

/**
 * Runs steps in the order in which they came, and lets processes die at the given places. A place is the first call of a
 * process after something has changed outside it: whatever it knew before is lost either way, so it dies there as it
 * would at any later call until the next change.
 */
export class CrashPlan implements Director {
  readonly #deaths: ReadonlySet<number>;
  readonly #changes: () => number;
  readonly #seen = new Map<string, number>();
  /** The places that were passed. */
  places: string[] = [];

  constructor(deaths: readonly number[], changes: () => number) {
    this.#deaths = new Set(deaths);
    this.#changes = changes;
  }

  choose(steps: readonly Step[]): Step | 'timer' {
    return steps[0] ?? 'timer';
  }

  before(place: Place): Fate {
    const { name } = place.process;
    if (this.#seen.get(name) === this.#changes()) return 'go-on';
    this.#seen.set(name, this.#changes());
    this.places.push(placeOf(place));
    return this.#deaths.has(this.places.length - 1) ? 'dies' : 'go-on';
  }

  after(): Fate {
    return 'go-on';
  }
}
