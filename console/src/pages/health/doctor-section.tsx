import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Stethoscope } from 'lucide-react';
import { type DoctorCheck, type DoctorReport, runDoctor } from '../../api/health.ts';
import { Button } from '../../design/button.tsx';
import { formatDuration } from '../../design/format.ts';
import { Moment, useNow } from '../../design/moment.tsx';
import { Section } from '../../design/page.tsx';
import { Problem } from '../../design/states.tsx';
import { StatusDot } from '../../design/status.tsx';
import { groupChecks, summarise } from './group-checks.ts';

const reportKey = ['doctor'];
const tones = { failed: 'failed', warning: 'live', skipped: 'quiet', ok: 'quiet' } as const;

/** The doctor looks at everything that can be wrong with an installation, and says what to do. */
export function DoctorSection() {
  const queryClient = useQueryClient();
  // The last report stays while people look at other pages.
  const { data: report } = useQuery<DoctorReport>({
    queryKey: reportKey,
    enabled: false,
    queryFn: runDoctor,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const run = useMutation({
    mutationFn: runDoctor,
    onSuccess: (result) => queryClient.setQueryData(reportKey, result),
  });
  return (
    <Section
      title="Doctor"
      actions={
        <Button isBusy={run.isPending} onClick={() => run.mutate()}>
          <Stethoscope />
          {report ? 'Run again' : 'Run doctor'}
        </Button>
      }
    >
      {run.error && <Problem isInline error={run.error} />}
      {run.isPending && <Running since={run.submittedAt} />}
      {!run.isPending && report && <Report report={report} />}
      {!run.isPending && !run.error && !report && (
        <p className="max-w-2xl py-2 text-quiet">
          Checks the settings, secrets, Postgres, Temporal, the store, the engines, clocks and programs, and says what
          to do about each problem. It changes nothing and takes a few seconds.
        </p>
      )}
    </Section>
  );
}

function Running({ since }: { since: number }) {
  const seconds = Math.max(0, Math.round((useNow() - since) / 1000));
  return (
    <p className="py-2 text-quiet">
      <span role="status">The doctor is running.</span> It takes at most a minute ({formatDuration(seconds)} so far).
    </p>
  );
}

function Report({ report: { checks, ran_at, seconds } }: { report: DoctorReport }) {
  return (
    <div>
      <p className="py-2">
        <span role="status" className="font-medium">
          {summarise(checks)}
        </span>{' '}
        <span className="text-quiet">
          Run <Moment at={ran_at} />, in {formatDuration(seconds)}.
        </span>
      </p>
      {groupChecks(checks).map(({ status, title, checks: of }) => (
        <details key={status} open={status !== 'ok'} className="border-t py-2">
          <summary className="cursor-pointer">
            <StatusDot tone={tones[status]}>{`${title} (${of.length})`}</StatusDot>
          </summary>
          <ul className="mt-1">
            {of.map((check) => (
              <Check key={check.name} check={check} />
            ))}
          </ul>
        </details>
      ))}
    </div>
  );
}

function Check({ check: { name, message, advice } }: { check: DoctorCheck }) {
  return (
    <li className="grid gap-x-4 py-1 md:grid-cols-[12rem_1fr]">
      <span className="font-mono text-small leading-5">{name}</span>
      <div className="min-w-0">
        <p className="break-words">{message}</p>
        {advice && <p className="break-words text-quiet">{advice}</p>}
      </div>
    </li>
  );
}
