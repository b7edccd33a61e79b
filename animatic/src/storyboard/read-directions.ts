import type { Found } from './find-entries.ts';
import { isStopWord } from './lexicon.ts';
import { type Word, writtenOf } from './split-words.ts';
import type { Direction } from './storyboard.ts';
import type { CameraMoveName } from './vocabulary.ts';

/** The direction of a camera move, and the words that name it. */
interface Directed {
  direction: Direction;
  /** The move that it belongs to. */
  move: CameraMoveName;
  written: string;
}

/** Words that are directions only beside a camera word; everywhere else they are grammar. */
const directionWords: ReadonlyMap<string, Direction> = new Map(
  Object.entries({
    left: ['left', 'leftward', 'leftwards'],
    right: ['right', 'rightward', 'rightwards'],
    up: ['up', 'upward', 'upwards'],
    down: ['down', 'downward', 'downwards'],
    in: ['in', 'into', 'inward', 'inwards', 'closer', 'forward', 'forwards', 'toward', 'towards'],
    out: ['out', 'outward', 'outwards', 'away', 'back', 'backward', 'backwards'],
  }).flatMap(([direction, words]) => words.map((word) => [word, direction as Direction])), // the keys above
);
/** Words that are also prepositions: "a camera in the forest" has no direction. */
const prepositions: ReadonlySet<string> = new Set(['in', 'out']);
/** Words before which "in" and "out" are directions: "moves in slowly", "moves in on the boat", "moves out of". */
const afterDirection: ReadonlySet<string> = new Set(
  (
    'and as at gently gracefully of on over quickly quietly slightly slowly smoothly softly steadily then to toward ' +
    'towards until very while'
  ).split(' '),
);
const directionsOf: Partial<Record<CameraMoveName, readonly Direction[]>> = {
  pan: ['left', 'right'],
  tilt: ['up', 'down'],
  zoom: ['in', 'out'],
  dolly: ['in', 'out', 'left', 'right'],
  orbit: ['left', 'right'],
  aerial: ['left', 'right'],
};
/** The move for each direction if the prompt only says that the camera "moves". */
const moveTowards: Record<Direction, CameraMoveName> = {
  left: 'pan',
  right: 'pan',
  up: 'tilt',
  down: 'tilt',
  in: 'dolly',
  out: 'dolly',
};
/** How many words after a camera word are searched, as in "pan slowly from here to the left". */
const longestReach = 5;

/** Reads the directions of the camera from the words beside camera words, in the order of the prompt. */
export function readDirections(words: readonly Word[], found: readonly Found[]): Directed[] {
  const foundAt = new Map(found.map((one) => [one.at, one]));
  return words.flatMap((word, at) => {
    const here = foundAt.get(at);
    if (!here) return word.key === 'camera' ? beside(at, 1, (direction) => moveTowards[direction]) : [];
    const move = moveIn(here);
    if (!move) return [];
    const own = directionIn(here);
    if (own) return [{ direction: own, move, written: writtenOf(here.words) }];
    return beside(at, here.words.length, (direction) => (directionsOf[move]?.includes(direction) ? move : null));
  });

  function beside(at: number, length: number, moveFor: (direction: Direction) => CameraMoveName | null): Directed[] {
    const directedBy = (direction: Direction | undefined, last: number): Directed[] => {
      const move = direction && moveFor(direction);
      return direction && move ? [{ direction, move, written: writtenOf(words.slice(at, last + 1)) }] : [];
    };
    const directionAt = (index: number): Direction | undefined => {
      const [word, next] = [words[index], words[index + 1]];
      const isLast = !next || next.startsClause || afterDirection.has(next.key);
      const isGrammar = !foundAt.has(at) && prepositions.has(word?.key ?? '') && !isLast;
      return isGrammar ? undefined : directionWords.get(word?.key ?? '');
    };
    for (let index = at + length; index < at + length + longestReach; index += 1) {
      const word = words[index];
      if (!word || word.startsClause) break;
      const phrase = foundAt.get(index);
      const last = index + (phrase?.words.length ?? 1) - 1;
      const directed = directedBy((phrase && directionIn(phrase)) ?? directionAt(index), last);
      if (directed.length > 0) return directed;
      if (phrase || !isStopWord(word.key)) break;
    }
    // The direction may come before a move, as in "a slow upward tilt", but not before the word "camera".
    const isMove = foundAt.has(at) && !words[at]?.startsClause;
    return isMove ? directedBy(directionAt(at - 1), at) : [];
  }
}

function moveIn({ entry }: Found): CameraMoveName | undefined {
  return entry.meanings.find((meaning) => meaning.kind === 'cameraMoves')?.name;
}

function directionIn({ entry }: Found): Direction | undefined {
  return entry.meanings.find((meaning) => meaning.kind === 'directions')?.name;
}
