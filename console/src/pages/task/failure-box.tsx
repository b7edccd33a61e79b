import type { FailedTask } from '@kinora/sdk';
import { CircleAlert } from 'lucide-react';
import { adviceFor } from '../../tasks/failure-advice.ts';

/** Why a task failed, what to do, and what the service says about it. */
export function FailureBox({ task: { error, attempt } }: { task: FailedTask }) {
  const { title, advice } = adviceFor(error);
  return (
    <div role="alert" className="flex gap-3 rounded-box border border-failed/60 bg-failed-soft p-4">
      <CircleAlert className="mt-0.5 size-5 shrink-0 text-failed" />
      <div className="min-w-0">
        <p className="text-read font-medium">{title}</p>
        <p className="mt-0.5">{advice}</p>
        <p className="mt-2 text-small text-quiet">
          {error.message} <code>{error.code}</code>, while {error.stage}
          {attempt > 1 && `, after ${attempt} attempts`}.
        </p>
      </div>
    </div>
  );
}
