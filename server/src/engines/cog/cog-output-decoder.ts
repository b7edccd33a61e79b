const maximumHeaderLength = 256;
const maximumUrlLength = 4096;

export type CogOutput = { kind: 'bytes' } | { kind: 'url'; url: string } | { kind: 'unusable' };

/** Reads one output string piece by piece: a data URL with base64, whose bytes are passed on, or an http URL. */
export function createCogOutputDecoder(onBytes: (bytes: Buffer) => void) {
  let mode: 'beginning' | 'base64' | 'url' | 'unusable' = 'beginning';
  let beginning = '';
  let rest = ''; // characters that do not fill a group of four yet
  let isPadded = false;
  let decodedBytes = 0;

  function begin(): void {
    if (/^https?:\/\//.test(beginning)) {
      mode = beginning.length > maximumUrlLength ? 'unusable' : 'url';
      return;
    }
    const comma = beginning.indexOf(',');
    if (comma >= 0) {
      const isBase64 = comma <= maximumHeaderLength && /^data:[^,]*;base64$/i.test(beginning.slice(0, comma));
      mode = isBase64 ? 'base64' : 'unusable';
      if (isBase64) decode(beginning.slice(comma + 1));
    } else if (beginning.length > maximumHeaderLength) mode = 'unusable';
  }

  function decode(text: string): void {
    if (text === '') return;
    const all = rest + text;
    // Node's own decoder skips characters that it does not know, which would make a file with holes.
    if (isPadded || !/^[A-Za-z0-9+/]*={0,2}$/.test(all)) {
      mode = 'unusable';
      return;
    }
    const whole = all.slice(0, all.length - (all.length % 4));
    rest = all.slice(whole.length);
    if (whole === '') return;
    isPadded = whole.endsWith('=');
    const bytes = Buffer.from(whole, 'base64');
    decodedBytes += bytes.length;
    onBytes(bytes);
  }

  return {
    push(piece: Buffer): void {
      const text = piece.toString('latin1'); // a usable output is pure ASCII
      if (mode === 'base64') decode(text);
      else if (mode !== 'unusable') {
        beginning += text;
        begin();
      }
    },
    end(): CogOutput {
      if (mode === 'url') return { kind: 'url', url: beginning };
      return mode === 'base64' && rest === '' && decodedBytes > 0 ? { kind: 'bytes' } : { kind: 'unusable' };
    },
  };
}
