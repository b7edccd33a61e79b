import { type ReactNode, useEffect } from 'react';
import { classes } from './classes.ts';

/** The head and body of a page. `actions` are at the right of the title. */
export function Page({
  title,
  lead,
  actions,
  children,
  isWide = true,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  isWide?: boolean;
}) {
  useTitle(title);
  return (
    <div className={classes('mx-auto px-4 py-5 md:px-6', isWide ? 'max-w-[1600px]' : 'max-w-3xl')}>
      <header className="mb-5 flex flex-wrap items-start gap-x-6 gap-y-2">
        <div className="min-w-0 grow">
          <h1 className="text-head font-semibold">{title}</h1>
          {lead && <p className="mt-0.5 text-quiet">{lead}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page under a small heading. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="mb-8">
      <div className="mb-2 flex min-h-8 items-center gap-3 border-b pb-1">
        <h2 className="grow font-semibold">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** Sets the title of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Kinora`;
  }, [title]);
}
