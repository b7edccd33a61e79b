const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** https://tc39.es/ecma426/ */
export interface SourceMap {
  version: number;
  sources: string[];
  names: string[];
  mappings: string;
}

/** Returns the map without other people's packages, whose maps Node would keep in memory. */
export function withoutPackages({ version, sources, mappings }: SourceMap): SourceMap {
  const own = sources.filter((path) => !path.includes('node_modules/'));
  /** The fields of the last position read and of the last one written; each is stored as the difference to the last. */
  const read = { source: 0, line: 0, column: 0 };
  const written = { source: 0, line: 0, column: 0 };
  const lines = mappings.split(';').map((text) => {
    let [readAt, writtenAt, isOwn] = [0, 0, false];
    const kept: string[] = [];
    for (const segment of text === '' ? [] : text.split(',')) {
      const [at = 0, source, line = 0, column = 0] = decode(segment);
      readAt += at;
      read.source += source ?? 0;
      read.line += line;
      read.column += column;
      const index = source === undefined ? -1 : own.indexOf(sources[read.source] ?? '');
      if (index >= 0) {
        const fields = [
          readAt - writtenAt,
          index - written.source,
          read.line - written.line,
          read.column - written.column,
        ];
        kept.push(fields.map(encode).join(''));
        Object.assign(written, { ...read, source: index });
        writtenAt = readAt;
      } else if (isOwn) {
        kept.push(encode(readAt - writtenAt)); // what follows has no source
        writtenAt = readAt;
      }
      isOwn = index >= 0;
    }
    return kept.join(',');
  });
  return { version, sources: own, names: [], mappings: lines.join(';') };
}

/** Reads numbers of five bits per digit, lowest first; the sixth bit says that more follow, the lowest is the sign. */
function decode(segment: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const letter of segment) {
    const digit = digits.indexOf(letter);
    value += (digit % 32) * 2 ** shift;
    shift += 5;
    if (digit >= 32) continue;
    numbers.push(value % 2 === 1 ? -(value - 1) / 2 : value / 2);
    [value, shift] = [0, 0];
  }
  return numbers;
}

function encode(number: number): string {
  let rest = number < 0 ? -number * 2 + 1 : number * 2;
  let text = '';
  do {
    const digit = rest % 32;
    rest = (rest - digit) / 32;
    text += digits.charAt(rest > 0 ? digit + 32 : digit);
  } while (rest > 0);
  return text;
}
