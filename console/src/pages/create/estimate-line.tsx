import type { Estimate, Limits, Model } from '@kinora/sdk';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useProject } from '../../api/project.tsx';
import { limitsQuery } from '../../api/project-queries.ts';
import { formatCount, formatDuration, formatMoney } from '../../design/format.ts';

/** The estimate: the video, the time and the price. */
export function EstimateLine({
  estimate,
  models,
  count,
  isStale,
  missing,
}: {
  estimate: Estimate | undefined;
  models: readonly Model[];
  count: number;
  isStale: boolean;
  /** The text to show while there is no estimate. */
  missing: string;
}) {
  const { livemode, kinora, key } = useProject();
  const { data: limits } = useQuery(limitsQuery({ kinora, key }));
  return (
    <dl className={`grid grid-cols-3 gap-3 transition-opacity duration-150 ${isStale ? 'opacity-60' : ''}`}>
      <Part name="Video">{whatOf(estimate, models, count, missing)}</Part>
      <Part name="Time">{whenOf(estimate, limits, models, livemode)}</Part>
      <Part name="Price">{priceOf(estimate, count, livemode)}</Part>
    </dl>
  );
}

function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-small text-quiet">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function whatOf(estimate: Estimate | undefined, models: readonly Model[], count: number, missing: string): ReactNode {
  if (!estimate) return <span className="text-quiet">{missing}</span>;
  const { request } = estimate;
  const model = models.find(({ id }) => id === request.model);
  return (
    <>
      <span className="font-medium whitespace-nowrap">
        {count > 1 && `${count} × `}
        {request.size?.replace('x', '×') ?? request.resolution}
      </span>
      <span className="block text-small text-quiet">
        {request.duration} s{model && `, ${model.capabilities.fps} fps, ${model.name}`}
      </span>
    </>
  );
}

function whenOf(
  estimate: Estimate | undefined,
  limits: Limits | undefined,
  models: readonly Model[],
  livemode: boolean,
): ReactNode {
  if (!estimate) return <span className="text-quiet">–</span>;
  const seconds = estimate.expected_seconds;
  const words = waitingWords(
    limits?.waiting.used ?? 0,
    models.find(({ id }) => id === estimate.request.model),
  );
  const unknown = livemode ? 'too few similar videos yet' : 'test mode is not timed';
  return (
    <>
      <span className="font-medium whitespace-nowrap">
        {seconds === null ? 'Not measured' : `about ${formatDuration(Math.max(1, Math.round(seconds)))}`}
      </span>
      <span className="block text-small text-quiet">
        {words ?? (seconds === null ? unknown : 'once an engine is free')}
      </span>
    </>
  );
}

/** Returns what a new task waits for; null if nothing is in its way. */
function waitingWords(waiting: number, model: Model | undefined): string | null {
  if (model?.available === false) return 'no engine available: it will wait';
  if (waiting === 0) return null;
  return waiting === 1 ? 'once 1 waiting task has started' : `once ${formatCount(waiting)} waiting tasks have started`;
}

function priceOf(estimate: Estimate | undefined, count: number, livemode: boolean): ReactNode {
  if (!livemode) {
    return (
      <>
        <span className="font-medium text-test">Free</span>
        <span className="block text-small text-quiet">test mode</span>
      </>
    );
  }
  if (!estimate) return <span className="text-quiet">–</span>;
  if (!estimate.price) {
    return (
      <>
        <span className="font-medium">No price</span>
        <span className="block text-small text-quiet">not set for this model</span>
      </>
    );
  }
  const { amount, currency } = estimate.price;
  return (
    <>
      <span className="font-medium">{formatMoney(Number(amount) * count, currency)}</span>
      <span className="block text-small text-quiet">
        {count > 1 ? `${formatMoney(Number(amount), currency)} each` : 'charged on completion'}
      </span>
    </>
  );
}
