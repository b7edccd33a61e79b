import type { Task } from '@kinora/sdk';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import { useProject } from '../../api/project.tsx';
import { Button, buttonClasses } from '../../design/button.tsx';
import { formatCount } from '../../design/format.ts';
import { Page, Section } from '../../design/page.tsx';
import { Empty, Problem } from '../../design/states.tsx';
import { EndedList } from './ended-list.tsx';
import { QueueSkeleton } from './queue-skeleton.tsx';
import type { QueueGroups } from './queue-tasks.ts';
import { type RowActions, RunningCard } from './running-card.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { useQueue } from './use-queue.ts';
import { useQueueKeys } from './use-queue-keys.ts';
import { useQueueTotals } from './use-queue-totals.ts';
import { WaitingList, type WaitingListHandle } from './waiting-list.tsx';

const CancelDialog = lazy(() => import('./cancel-dialog.tsx').then(({ CancelDialog }) => ({ default: CancelDialog })));

/** More cards than this are shown only on request. */
const mostCards = 24;

/** The page that shows the running, waiting and recent tasks. */
export function QueuePage() {
  const { id: project, mode, may } = useProject();
  const queue = useQueue();
  const { groups } = queue;
  if (!groups) {
    return (
      <Page title="Queue">
        {queue.error ? <Problem error={queue.error} onRetry={() => void queue.refetch()} /> : <QueueSkeleton />}
      </Page>
    );
  }
  if (groups.running.length + groups.waiting.length + groups.ended.length === 0) {
    return (
      <Page title="Queue">
        <Empty
          title="No tasks yet"
          action={
            may('developer') && (
              <Link to="/p/$project/$mode/create" params={{ project, mode }} className={buttonClasses('primary')}>
                Create a video
              </Link>
            )
          }
        >
          Waiting and running tasks appear here, with their position in the queue and their expected end.
        </Empty>
      </Page>
    );
  }
  return <FilledQueue {...queue} groups={groups} />;
}

type FilledQueueProps = Pick<ReturnType<typeof useQueue>, 'hasMore' | 'moreError' | 'loadMore' | 'setInSight'> & {
  groups: QueueGroups;
};

function FilledQueue({
  groups: { running, waiting, ended },
  hasMore,
  moreError,
  loadMore,
  setInSight,
}: FilledQueueProps) {
  const { may } = useProject();
  const totals = useQueueTotals({ running: running.length, waiting: waiting.length, hasMore });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [cancelling, setCancelling] = useState<readonly Task[] | null>(null);
  const [areAllShown, setAreAllShown] = useState(false);
  const list = useRef<WaitingListHandle>(null);
  const cards = areAllShown ? running : running.slice(0, mostCards);

  const mayCancel = may('developer');
  const actions = useMemo<RowActions | null>(
    () =>
      mayCancel
        ? {
            select: (id, isSelected) =>
              setSelected((before) => {
                const next = new Set(before);
                if (isSelected) next.add(id);
                else next.delete(id);
                return next;
              }),
            cancel: (task) => setCancelling([task]),
          }
        : null,
    [mayCancel],
  );
  // Those that ended meanwhile are no longer selected.
  const chosen = [...running, ...waiting].filter(({ id }) => selected.has(id));
  useQueueKeys({
    rows: { cards, waiting, ended },
    onSelect: (id) => actions?.select(id, !selected.has(id)),
    onClear: () => setSelected(new Set()),
    onScrollTo: (id) => list.current?.scrollTo(id),
  });

  return (
    <Page title="Queue" lead={`${formatCount(totals.running)} running, ${formatCount(totals.waiting)} waiting.`}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-8 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="min-w-0">
          <Section title="Running">
            {running.length === 0 ? (
              <p className="text-quiet">
                {waiting.length > 0
                  ? 'No tasks are running. The next waiting task starts as soon as an engine is free.'
                  : 'No tasks are running.'}
              </p>
            ) : (
              <ul aria-label="Running tasks" className="grid grid-cols-[minmax(0,1fr)] gap-3 2xl:grid-cols-2">
                {cards.map((task) => (
                  <RunningCard key={task.id} task={task} isSelected={selected.has(task.id)} actions={actions} />
                ))}
              </ul>
            )}
            {running.length > cards.length && (
              <Button className="mt-3" onClick={() => setAreAllShown(true)}>
                Show {formatCount(running.length - cards.length)} more
              </Button>
            )}
          </Section>
          <Section title="Waiting">
            {waiting.length === 0 ? (
              <p className="text-quiet">No tasks are waiting.</p>
            ) : (
              <WaitingList
                ref={list}
                waiting={waiting}
                selected={selected}
                actions={actions}
                hasMore={hasMore}
                onLoadMore={() => void loadMore()}
                onSight={setInSight}
                onSelectAll={(isSelected) => setSelected(new Set(isSelected ? waiting.map(({ id }) => id) : []))}
              />
            )}
            {moreError !== null && <Problem isInline error={moreError} onRetry={() => void loadMore()} />}
          </Section>
        </div>
        <Section title="Recent">
          <EndedList ended={ended} />
        </Section>
      </div>
      {chosen.length > 0 && (
        <SelectionBar chosen={chosen} onClear={() => setSelected(new Set())} onCancel={() => setCancelling(chosen)} />
      )}
      <Suspense>{cancelling && <CancelDialog tasks={cancelling} onClose={() => setCancelling(null)} />}</Suspense>
    </Page>
  );
}
