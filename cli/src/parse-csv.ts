import { UsageError } from './exit-codes.ts';

/** One record, and the number of the line in which it starts. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

/** Parses CSV (RFC 4180): quoted cells may contain commas, doubled quotes and line breaks. Empty lines are left out. */
export function parseCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let cell = '';
  let quotedSince: number | null = null;
  let line = 1;
  let start = 1;
  const endRecord = () => {
    cells.push(cell);
    if (cells.some((one) => one !== '')) records.push({ line: start, cells });
    cells = [];
    cell = '';
    start = line;
  };
  const source = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  for (let index = 0; index < source.length; index++) {
    const character = source[index];
    if (character === '\n') line += 1;
    if (quotedSince !== null) {
      if (character !== '"') cell += character;
      else if (source[index + 1] === '"') {
        cell += '"';
        index += 1;
      } else quotedSince = null;
    } else if (character === '"' && cell === '') quotedSince = line;
    else if (character === ',') {
      cells.push(cell);
      cell = '';
    } else if (character === '\n') endRecord();
    else cell += character;
  }
  if (quotedSince !== null) throw new UsageError(`The quote that opens in line ${quotedSince} is never closed.`);
  if (cell !== '' || cells.length > 0) endRecord();
  return records;
}
