import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ReactNode;
  /** Numbers are at the right, in mono. */
  isNumber?: boolean;
  /** Left out on a phone. */
  isMinor?: boolean;
  className?: string;
}

/** A dense table with hairlines. */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  onOpen,
}: {
  /** What the table lists; read aloud, not shown. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  onOpen?: (row: Row) => void;
}) {
  const look = ({ isNumber, isMinor, className }: Column<Row>) =>
    classes('px-2 first:pl-0 last:pr-0', isNumber && 'text-right', isMinor && 'max-md:hidden', className);
  return (
    <div className="overflow-x-auto">
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b text-small text-quiet">
            {columns.map((column) => (
              <th key={column.head} scope="col" className={classes(look(column), 'pb-1 font-medium whitespace-nowrap')}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              onClick={onOpen && (() => onOpen(row))}
              {...(onOpen && {
                tabIndex: 0,
                onKeyDown: (event) => {
                  // Keys that are meant for a button in the row stay its own.
                  if (event.key === 'Enter' && event.target === event.currentTarget) onOpen(row);
                },
              })}
              className={classes('border-b', onOpen && 'cursor-pointer hover:bg-raised')}
            >
              {columns.map((column) => (
                <td
                  key={column.head}
                  className={classes(look(column), 'py-2 align-middle', column.isNumber && 'font-mono text-small')}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
