import { parseCsv } from './parse-csv.ts';

/** The fields of one line of a jobs file, or what is wrong with it. */
export interface Row {
  line: number;
  row?: Record<string, unknown>;
  problem?: string;
}

const numbers = ['duration', 'seed'];

/** Parses one JSON object per line. Empty lines are left out. */
export function rowsOfJsonLines(text: string): Row[] {
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((source, index): Row[] => {
      const line = index + 1;
      if (source.trim() === '') return [];
      try {
        const row: unknown = JSON.parse(source);
        if (typeof row === 'object' && row !== null && !Array.isArray(row)) return [{ line, row: { ...row } }];
        return [{ line, problem: 'it must be a JSON object' }];
      } catch (error) {
        return [{ line, problem: `it is not JSON (${error instanceof Error ? error.message : String(error)})` }];
      }
    });
}

/** Parses CSV with field names in its first record. Number fields become numbers, and empty cells are absent. */
export function rowsOfCsv(text: string): Row[] {
  const [head, ...body] = parseCsv(text);
  if (!head) return [];
  const names = head.cells.map((name) => name.trim());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return [{ line: head.line, problem: `the column "${twice}" appears twice` }];
  if (!names.includes('prompt')) return [{ line: head.line, problem: 'there is no column "prompt"' }];
  return body.map(({ line, cells }): Row => {
    if (cells.length > names.length) {
      return { line, problem: `it has ${cells.length} cells, but the header has ${names.length}: is a quote missing?` };
    }
    const row: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) {
      const cell = cells[index]?.trim() ?? '';
      if (cell === '') continue;
      row[name] = numbers.includes(name) && /^-?\d+$/.test(cell) ? Number(cell) : cell;
    }
    return { line, row };
  });
}
