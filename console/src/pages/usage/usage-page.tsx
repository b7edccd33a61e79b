import { getRouteApi, Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useProject } from '../../api/project.tsx';
import { Button, buttonClasses } from '../../design/button.tsx';
import { Page, Section } from '../../design/page.tsx';
import { Segments } from '../../design/segments.tsx';
import { Empty, Problem, Skeleton } from '../../design/states.tsx';
import { averagePrice, type Cost, costOf } from './usage-cost.ts';
import { usageCsv } from './usage-csv.ts';
import { UsageFigures } from './usage-figures.tsx';
import { dayText, periodOf } from './usage-period.ts';
import { PercentilesPlot, RequestsPlot, timeOf } from './usage-plots.tsx';
import { UsageRangeFields } from './usage-range-fields.tsx';
import { totalsOf } from './usage-series.ts';
import { UsageSplit } from './usage-split.tsx';
import { useUsage } from './use-usage.ts';

const route = getRouteApi('/app-shell/p/$project/$mode/usage');

/** The page that shows how many tasks ended, how long they took and what they cost. */
export function UsagePage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { name, mode } = useProject();
  const hour = useHour();
  const period = useMemo(() => periodOf(search, hour * 3_600 + 1), [search, hour]);
  const { total, byCode, byModel, byKey, before, prices, nameOf } = useUsage(period);
  const by = search.by ?? 'model';
  const average = prices && byModel.data ? averagePrice(prices, byModel.data) : { low: 0, high: 0 };
  const costOfGroup = {
    model: (id: string | null, seconds: number): Cost => (prices ? costOf(prices, id, seconds) : { low: 0, high: 0 }),
    key: (_id: string | null, seconds: number): Cost => ({ low: average.low * seconds, high: average.high * seconds }),
  };

  const save = (): void => {
    const csv = usageCsv(
      [
        { by: null, buckets: total.data ?? [], nameOf: (id) => id, costOf: null },
        { by: 'code', buckets: byCode.data ?? [], nameOf: nameOf.code, costOf: null },
        { by: 'model', buckets: byModel.data ?? [], nameOf: nameOf.model, costOf: prices && costOfGroup.model },
        { by: 'key', buckets: byKey.data ?? [], nameOf: nameOf.key, costOf: prices && costOfGroup.key },
      ],
      prices?.currency ?? null,
    );
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }));
    link.download = `usage ${name} ${mode} ${dayText(period.start)} to ${dayText(period.end - 1)}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  };

  const failed = [total, byCode, byModel].find((query) => query.isError);
  const isEmpty = total.data !== undefined && totalsOf(total.data).tasks === 0;
  const split = by === 'model' ? byModel : byKey;
  return (
    <Page
      title="Usage"
      lead="What tasks cost, and how long they take. A task counts when it ends."
      actions={
        <Button onClick={save} disabled={!total.data || !byCode.data || !byModel.data || !byKey.data || isEmpty}>
          <Download />
          Export CSV
        </Button>
      }
    >
      <UsageRangeFields
        search={search}
        period={period}
        onChange={(next) => void navigate({ search: next, replace: true })}
      />
      {failed ? (
        <Problem error={failed.error} onRetry={() => void failed.refetch()} />
      ) : isEmpty ? (
        <Empty
          title={`No ${mode} tasks ended in this period`}
          action={
            <Link to="/p/$project/$mode/create" from="/p/$project/$mode/usage" className={buttonClasses('primary')}>
              Create a video
            </Link>
          }
        >
          This page shows how many tasks ended, how long they waited and rendered, and what they cost. Choose a longer
          period, or create a video.
        </Empty>
      ) : (
        <>
          <UsageFigures now={byModel.data} before={before.data} prices={prices} length={period.length} />
          <Section title="Over time">
            {total.data && byCode.data ? (
              <div className="grid gap-x-8 gap-y-6 lg:grid-cols-2 [&>:first-child]:lg:col-span-2">
                <RequestsPlot total={total.data} byCode={byCode.data} time={timeOf(total.data, period.bucket)} />
                <PercentilesPlot
                  title="Waiting"
                  about="From the request to the first attempt"
                  of="waiting_seconds"
                  total={total.data}
                  time={timeOf(total.data, period.bucket)}
                />
                <PercentilesPlot
                  title="Rendering"
                  about="From the first attempt to the video"
                  of="rendering_seconds"
                  total={total.data}
                  time={timeOf(total.data, period.bucket)}
                />
              </div>
            ) : (
              <PlotSkeletons />
            )}
          </Section>
          <Section
            title={by === 'model' ? 'By model' : 'By key'}
            actions={
              <Segments
                label="Split by"
                options={[
                  { value: 'model', label: 'Model' },
                  { value: 'key', label: 'Key' },
                ]}
                value={by}
                onChange={(next) => void navigate({ search: { ...search, by: next }, replace: true })}
              />
            }
          >
            {split.isError ? (
              <Problem isInline error={split.error} onRetry={() => void split.refetch()} />
            ) : split.data ? (
              <UsageSplit
                by={by}
                buckets={split.data}
                bucket={period.bucket}
                nameOf={nameOf[by]}
                prices={prices}
                costOfGroup={costOfGroup[by]}
              />
            ) : (
              <PlotSkeletons />
            )}
          </Section>
        </>
      )}
    </Page>
  );
}

/** Returns the number of the present hour: the period moves with it, not with every second. */
function useHour(): number {
  const read = (): number => Math.floor(Date.now() / 3_600_000);
  const [hour, setHour] = useState(read);
  useEffect(() => {
    const timer = setInterval(() => setHour(read()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return hour;
}

function PlotSkeletons() {
  return (
    <div role="status" aria-label="Loading" className="grid gap-8 lg:grid-cols-2">
      <Skeleton className="h-64" />
      <Skeleton className="h-64" />
    </div>
  );
}
