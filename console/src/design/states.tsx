import { KinoraError } from '@kinora/sdk';
import { CircleAlert, Info, Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { isAwayError } from '../api/connection.ts';
import { ConsoleApiError } from '../api/console-api.ts';
import { NotConfirmedError } from '../api/fresh-sign-in.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { Copyable } from './copyable.tsx';

/** The empty state of a page: what it will show, and the first step. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="mx-auto max-w-md px-4 py-16 text-center">
      <h2 className="text-title font-semibold">{title}</h2>
      {children && <p className="mt-2 text-quiet">{children}</p>}
      {action && <div className="mt-5 flex justify-center gap-2">{action}</div>}
    </div>
  );
}

/** The page for a person who lacks the role. */
export function NoPermission({ children }: { children: ReactNode }) {
  return (
    <div className="mx-auto max-w-md px-4 py-16 text-center">
      <Lock className="mx-auto mb-3 text-quiet" />
      <h2 className="text-title font-semibold">You do not have access</h2>
      <p className="mt-2 text-quiet">{children}</p>
    </div>
  );
}

/** A sentence that matters, on its own line. */
export function Notice({ tone, children }: { tone: 'quiet' | 'failed'; children: ReactNode }) {
  const Icon = tone === 'failed' ? CircleAlert : Info;
  return (
    <div
      role={tone === 'failed' ? 'alert' : 'note'}
      className={classes(
        'flex gap-2 rounded-box border p-3',
        tone === 'failed' ? 'border-failed/60 bg-failed-soft' : 'bg-raised',
      )}
    >
      <Icon className={classes('mt-0.5 size-4 shrink-0', tone === 'failed' ? 'text-failed' : 'text-quiet')} />
      <div className="min-w-0">{children}</div>
    </div>
  );
}

/** An error: what happened, whether it is worth trying again, and the id to quote. */
export function Problem({
  error,
  onRetry,
  isInline = false,
}: {
  error: unknown;
  onRetry?: () => void;
  isInline?: boolean;
}) {
  const { message, advice, requestId } = describe(error, onRetry !== undefined);
  return (
    <div
      role="alert"
      className={classes(
        'rounded-box border border-failed/60 bg-failed-soft p-3',
        !isInline && 'mx-auto my-10 max-w-xl',
      )}
    >
      <div className="flex gap-2">
        <CircleAlert className="mt-0.5 size-4 shrink-0 text-failed" />
        <div className="min-w-0">
          <p className="font-medium">{message}</p>
          {advice && <p className="text-quiet">{advice}</p>}
          {requestId && (
            <p className="mt-1 flex items-center gap-1 text-small text-quiet">
              Request <Copyable text={requestId} label="request id" />
            </p>
          )}
          {onRetry && (
            <Button className="mt-2" onClick={onRetry}>
              Try again
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}

function describe(
  error: unknown,
  isRead: boolean,
): { message: string; advice: string | null; requestId: string | null } {
  if (isAwayError(error)) {
    return {
      message: 'Kinora cannot be reached.',
      advice: isRead ? 'This page reconnects automatically.' : 'Try again in a moment.',
      requestId: error instanceof KinoraError ? error.requestId : null,
    };
  }
  if (error instanceof KinoraError) {
    const advice = error.isRetryable ? 'Trying again may help.' : null;
    return { message: error.message, advice, requestId: error.requestId };
  }
  if (error instanceof NotConfirmedError) return { message: error.message, advice: null, requestId: null };
  if (error instanceof ConsoleApiError) return { message: error.message, advice: null, requestId: error.requestId };
  return {
    message: 'Something went wrong on this page.',
    advice: 'Reload the page. If it happens again, tell your operator.',
    requestId: null,
  };
}

/** A grey block of the size of what will be here. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" className={classes('skeleton rounded-box', className)} />;
}

/** Rows of grey blocks, for lists that are loading. */
export function SkeletonRows({ count = 6 }: { count?: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-2">
      {Array.from({ length: count }, (_, index) => (
        <Skeleton key={index} className="h-9" />
      ))}
    </div>
  );
}
