import { useQuery } from '@tanstack/react-query';
import { healthQuery, type PartHealth } from '../../api/health.ts';
import { classes } from '../../design/classes.ts';
import { formatCount } from '../../design/format.ts';
import { Section } from '../../design/page.tsx';
import { Problem, Skeleton } from '../../design/states.tsx';
import { StatusDot } from '../../design/status.tsx';
import { describeSpeed, partWords } from './describe-part.ts';

/** The parts that every role needs, and how fast each responds. */
export function PartList() {
  const { data, error, refetch } = useQuery(healthQuery);
  return (
    <Section title="Parts">
      {!data && error && <Problem error={error} onRetry={() => void refetch()} />}
      <ul className="grid gap-y-6 py-3 md:grid-cols-3 md:divide-x">
        {!data &&
          !error &&
          [0, 1, 2].map((index) => (
            <li key={index} className="md:px-5 md:first:pl-0">
              <Skeleton className="h-32" />
            </li>
          ))}
        {data?.checks.map((part) => (
          <Part key={part.part} part={part} />
        ))}
      </ul>
    </Section>
  );
}

function Part({ part: { part, status, milliseconds, message } }: { part: PartHealth }) {
  const { name, purpose, without } = partWords[part];
  const isOk = status === 'ok';
  return (
    <li className="md:px-5 md:first:pl-0 md:last:pr-0">
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="text-read font-semibold">{name}</h3>
        <StatusDot tone={isOk ? 'live' : 'failed'}>{isOk ? 'Responds' : 'Unreachable'}</StatusDot>
      </div>
      <p className="text-quiet">{purpose}</p>
      <p className={classes('mt-2 text-figure font-semibold', !isOk && 'text-failed')}>
        {formatCount(milliseconds)} <span className="text-title font-normal text-quiet">ms</span>
      </p>
      {isOk ? (
        <p className="text-quiet">{describeSpeed(milliseconds)}</p>
      ) : (
        <>
          <p className="text-failed">{message}</p>
          <p className="mt-1 text-quiet">{without}</p>
        </>
      )}
    </li>
  );
}
