import { type CogOutput, createCogOutputDecoder } from './cog-output-decoder.ts';

/** The fields of a prediction that Kinora uses, each cut to a maximum length. */
export interface CogPrediction {
  id: string | null;
  status: string | null;
  error: string | null;
  /** The end of the logs: they are cumulative, and only the last step matters. */
  logs: string | null;
  output: CogOutput | null;
}

export interface CogBodyScanner {
  /** Takes the next piece of a body and returns the output bytes in it; null if it is not a prediction. */
  push(chunk: Buffer): Buffer | null;
  /** Returns the prediction; null if the body is incomplete or not a prediction. */
  end(): CogPrediction | null;
}

/** Receives the pieces of a string, unescaped. */
type Sink = (piece: Buffer) => void;

const keptBytes = { key: 64, id: 256, status: 64, error: 4096, logs: 16 * 1024 };
const quote = 0x22;
const backslash = 0x5c;

/**
 * Reads a prediction's JSON without holding its video in memory; chunks may end anywhere. Other fields are skipped
 * unchecked, but the object must be complete and name no field of a prediction twice.
 */
export function createCogBodyScanner(): CogBodyScanner {
  const prediction: CogPrediction = { id: null, status: null, error: null, logs: null, output: null };
  const seen = new Set<string>();
  let found: Buffer[] = [];
  let place: 'start' | 'first-key' | 'key' | 'colon' | 'value' | 'literal' | 'after' | 'end' | 'broken' = 'start';
  let key = '';
  let literal = '';
  let depth = 0; // of nesting below the object itself
  let elements = 0; // seen so far, if the output is a list
  let string: { sink: Sink; isOver: () => void; escape: string } | null = null;

  const begin = (sink: Sink, isOver: () => void): void => {
    string = { sink, isOver, escape: '' };
  };

  const keep = (limit: number, isOver: (text: string) => void): void => {
    let kept = Buffer.alloc(0);
    begin(
      (piece) => {
        if (kept.length < limit) kept = Buffer.concat([kept, piece]).subarray(0, limit);
      },
      () => isOver(kept.toString('utf8')),
    );
  };

  const keepTail = (limit: number, isOver: (text: string) => void): void => {
    // Twice the limit, so that the bytes do not have to be moved for every small piece.
    const kept = Buffer.alloc(2 * limit);
    let length = 0;
    begin(
      (piece) => {
        const end = piece.subarray(-limit);
        if (length + end.length > kept.length) {
          kept.copyWithin(0, length - limit, length);
          length = limit;
        }
        length += end.copy(kept, length);
      },
      () => isOver(kept.toString('utf8', Math.max(0, length - limit), length)),
    );
  };

  const decodeOutput = (isOver: (output: CogOutput) => void): void => {
    const decoder = createCogOutputDecoder((bytes) => found.push(bytes));
    begin(
      (piece) => decoder.push(piece),
      () => isOver(decoder.end()),
    );
  };

  const skip = (isOver: () => void): void => begin(() => undefined, isOver);

  function beginKey(): void {
    keep(keptBytes.key, (text) => {
      place = seen.has(text) ? 'broken' : 'colon';
      key = text;
      // Only the names above are remembered: a body with endless names would fill the memory.
      if (Object.hasOwn(prediction, text)) seen.add(text);
    });
  }

  function beginText(): void {
    const done = (): void => void (place = 'after');
    switch (key) {
      case 'id':
      case 'status':
      case 'error': {
        const name = key;
        return keep(keptBytes[name], (text) => {
          prediction[name] = text;
          done();
        });
      }
      case 'logs':
        return keepTail(keptBytes.logs, (text) => {
          prediction.logs = text;
          done();
        });
      case 'output':
        return decodeOutput((output) => {
          prediction.output = output;
          done();
        });
      default:
        return skip(done);
    }
  }

  /** Reads one byte inside a list or an object. Of these, only a list of one string in `output` is used. */
  function stepInside(byte: number): void {
    const isOutputList = key === 'output' && depth === 1;
    if (byte === quote) {
      if (isOutputList && ++elements === 1) decodeOutput((output) => void (prediction.output = output));
      else {
        if (isOutputList) prediction.output = { kind: 'unusable' };
        skip(() => undefined);
      }
    } else if (byte === 0x7b || byte === 0x5b) {
      if (key === 'output') prediction.output = { kind: 'unusable' };
      elements += 1;
      depth += 1;
    } else if (byte === 0x7d || byte === 0x5d) {
      if (--depth === 0) place = 'after';
    }
  }

  function stepValue(byte: number): void {
    if (byte === quote) beginText();
    else if (byte === 0x7b || byte === 0x5b) {
      depth = 1;
      // An object is not an output; a list may contain one.
      elements = byte === 0x7b ? 1 : 0;
      if (key === 'output' && byte === 0x7b) prediction.output = { kind: 'unusable' };
      place = 'value';
    } else {
      literal = String.fromCharCode(byte);
      place = 'literal';
    }
  }

  function stepLiteral(byte: number): void {
    if (byte !== 0x2c && byte !== 0x7d && !isSpace(byte)) {
      literal += String.fromCharCode(byte);
      if (literal.length > 32) place = 'broken';
      return;
    }
    place = isJson(literal) ? 'after' : 'broken';
    if (place === 'after') step(byte);
  }

  function step(byte: number): void {
    if (place === 'literal') return stepLiteral(byte);
    if (depth > 0) return stepInside(byte);
    if (isSpace(byte)) return;
    if (place === 'start' && byte === 0x7b) place = 'first-key';
    else if ((place === 'first-key' || place === 'key') && byte === quote) beginKey();
    else if (place === 'first-key' && byte === 0x7d) place = 'end';
    else if (place === 'colon' && byte === 0x3a) place = 'value';
    else if (place === 'value') stepValue(byte);
    else if (place === 'after' && byte === 0x2c) place = 'key';
    else if (place === 'after' && byte === 0x7d) place = 'end';
    else place = 'broken';
  }

  /** Continues a string from a position; returns the position after the bytes that it consumed. */
  function readString(chunk: Buffer, from: number, current: NonNullable<typeof string>): number {
    if (current.escape !== '') {
      current.escape += String.fromCharCode(chunk.readUInt8(from));
      const isOver = current.escape[1] === 'u' ? current.escape.length === 6 : true;
      if (isOver) {
        const text = unescape(current.escape);
        if (text === null) place = 'broken';
        else current.sink(Buffer.from(text, 'utf8'));
        current.escape = '';
      }
      return from + 1;
    }
    let to = from;
    while (to < chunk.length && chunk[to] !== quote && chunk[to] !== backslash) to += 1;
    if (to > from) current.sink(chunk.subarray(from, to));
    if (to === chunk.length) return to;
    if (chunk[to] === backslash) current.escape = '\\';
    else {
      string = null;
      current.isOver();
    }
    return to + 1;
  }

  return {
    push(chunk) {
      found = [];
      let position = 0;
      while (position < chunk.length && place !== 'broken') {
        if (string) position = readString(chunk, position, string);
        else step(chunk.readUInt8(position++));
      }
      return place === 'broken' ? null : Buffer.concat(found);
    },
    end: () => (place === 'end' ? prediction : null),
  };
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const simpleEscapes: Readonly<Record<string, string>> = {
  '\\"': '"',
  '\\\\': '\\',
  '\\/': '/',
  '\\b': '\b',
  '\\f': '\f',
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
};

/** One escape's character. Halves of a surrogate pair become replacement characters, which does no harm here. */
function unescape(escape: string): string | null {
  if (escape.length === 2) return simpleEscapes[escape] ?? null;
  return /^\\u[0-9a-fA-F]{4}$/.test(escape) ? String.fromCharCode(Number.parseInt(escape.slice(2), 16)) : null;
}
