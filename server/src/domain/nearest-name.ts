/** Characters. The cost of a comparison grows with the square of the length. */
const longestName = 64;

/** Returns the known name that the caller most likely meant, or null if none is near. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > longestName) return null;
  const plain = plainName(name);
  if (plain === '') return null;
  let nearest: { name: string; distance: number } | null = null;
  for (const candidate of known) {
    const plainCandidate = plainName(candidate);
    // If one name begins with the other ("image" for image_url), that is a better match than any typing error.
    const isBeginning = plain.length >= 3 && (plainCandidate.startsWith(plain) || plain.startsWith(plainCandidate));
    const distance = isBeginning ? 1 : editDistance(plain, plainCandidate);
    const limit = Math.max(1, Math.floor(Math.max(plain.length, plainCandidate.length) / 3));
    if (distance <= limit && (nearest === null || distance < nearest.distance)) nearest = { name: candidate, distance };
  }
  return nearest?.name ?? null;
}

/** `imageUrl`, `image-url` and `IMAGE_URL` are spellings of one name. */
function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** Returns how many characters must be inserted, deleted, replaced or swapped with their neighbour. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforePrevious, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
