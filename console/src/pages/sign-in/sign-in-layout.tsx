import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sessionQuery } from '../../api/session.ts';
import { Logo } from '../../design/logo.tsx';
import { useTitle } from '../../design/page.tsx';

/** The single column of the pages before sign-in. The logo spins while a request is running. */
export function SignInLayout({
  title,
  lead,
  isBusy = false,
  children,
}: {
  title: string;
  lead?: ReactNode;
  isBusy?: boolean;
  children?: ReactNode;
}) {
  useTitle(title);
  const { data: session } = useQuery(sessionQuery);
  return (
    <div className="flex min-h-dvh flex-col px-6">
      <main className="mx-auto flex w-full max-w-88 grow flex-col justify-center py-12">
        <div className="mb-8 flex items-center gap-3 text-title font-semibold">
          <Logo size={40} isSpinning={isBusy} />
          Kinora
        </div>
        <h1 className="text-head font-semibold">{title}</h1>
        {lead && <p className="mt-1 text-read text-quiet">{lead}</p>}
        <div className="mt-6 flex flex-col gap-4">{children}</div>
      </main>
      <footer className="mx-auto flex w-full max-w-88 gap-2 py-6 text-small text-quiet">
        <span>{location.host}</span>
        {session && (
          <>
            <span aria-hidden="true">·</span>
            <span>version {session.version}</span>
          </>
        )}
      </footer>
    </div>
  );
}
