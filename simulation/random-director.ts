import type { Random } from '@kinora/stack/harness/seeded-random';
import { type Director, type Fate, type Place, placeOf, type Step } from './scheduler.ts';

/** How many calls go well, on average, for each that goes wrong. */
const callsPerDeath = 600;
const callsPerLoss = 150;

/** Lets chance pick the next step, and where processes die and connections break. */
export class RandomDirector implements Director {
  readonly #random: Random;
  /** Connections that are broken for now, as prefixes of `PROCESS STEP`. */
  readonly broken = new Set<string>();
  isFaulty = true;
  deaths = 0;
  losses = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  choose(steps: readonly Step[], hasDueTimer: boolean): Step | 'timer' | 'later' {
    const choice = this.#random.below(20 * (steps.length + (hasDueTimer ? 1 : 0)) + 1);
    return choice === 0 ? 'later' : (steps[Math.floor((choice - 1) / 20)] ?? 'timer');
  }

  before(place: Place): Fate {
    return this.#fateAt(place);
  }

  after(place: Place): Fate {
    return this.#fateAt(place);
  }

  #fateAt(place: Place): Fate {
    if (!this.isFaulty) return 'go-on';
    for (const start of this.broken) if (placeOf(place).startsWith(start)) return 'lost';
    if (this.#random.below(callsPerDeath) === 0) {
      this.deaths += 1;
      return 'dies';
    }
    if (this.#random.below(callsPerLoss) > 0) return 'go-on';
    this.losses += 1;
    return 'lost';
  }
}
