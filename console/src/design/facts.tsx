import type { ReactNode } from 'react';

export type Fact = readonly [name: string, value: ReactNode];

/** Names and values, one pair per line. Pairs without a value are left out. */
export function Facts({ facts }: { facts: readonly (Fact | null)[] }) {
  return (
    <dl className="grid content-start self-start grid-cols-[minmax(6.5rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1.5">
      {facts
        .filter((fact) => fact !== null)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-quiet">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
