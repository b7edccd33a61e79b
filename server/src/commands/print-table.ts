/** Prints rows in aligned columns under their names. */
export function printTable(columns: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [columns.map((name) => name.toUpperCase()), ...rows.map((row) => row.map(printable))];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines) {
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** Replaces control characters: a name is a caller's text and must not control the operator's terminal. */
function printable(cell: string): string {
  return cell.replaceAll(/\p{C}/gu, '\u{fffd}');
}
