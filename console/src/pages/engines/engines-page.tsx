import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { type EngineBoard, enginesQuery } from '../../api/engines.ts';
import { useSession } from '../../api/session.ts';
import { formatDuration } from '../../design/format.ts';
import { useNow } from '../../design/moment.tsx';
import { Page, Section } from '../../design/page.tsx';
import { Empty, NoPermission, Problem, Skeleton } from '../../design/states.tsx';
import { StatusDot } from '../../design/status.tsx';
import { Switch } from '../../design/switch.tsx';
import { BacklogTable } from './backlog-table.tsx';
import { BoardLegend } from './board-legend.tsx';
import { countSlots } from './describe-slot.ts';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { findProblems } from './find-problems.ts';
import { PoolRow } from './pool-row.tsx';
import { ProblemList } from './problem-list.tsx';

/** Beyond this, a pool shows small cells and only the names of its endpoints. */
const roomyEndpoints = 6;
const roomySlots = 16;

export function EnginesPage() {
  const { person } = useSession();
  if (!person.is_operator) {
    return (
      <Page title="Engines">
        <NoPermission>Only operators can see engines and take them out of service.</NoPermission>
      </Page>
    );
  }
  return <Engines />;
}

function Engines() {
  const { data: board, error, refetch, dataUpdatedAt } = useQuery(enginesQuery);
  return (
    <Page
      title="Engines"
      lead="What every slot is doing now, and why."
      actions={board && <LastLook at={dataUpdatedAt} />}
    >
      {!board && error && <Problem error={error} onRetry={() => void refetch()} />}
      {!board && !error && <BoardSkeleton />}
      {board?.pools.length === 0 && (
        <Empty title="No engines yet">
          Add endpoints to the models file. They appear here within seconds while a worker is running.
        </Empty>
      )}
      {board && board.pools.length > 0 && <Board board={board} />}
    </Page>
  );
}

function Board({ board }: { board: EngineBoard }) {
  const { show, endpoint: openId } = useSearch({ from: '/app-shell/engines' });
  const navigate = useNavigate({ from: '/engines' });
  const problems = findProblems(board);
  const isProblem = (id: string) => problems.some(({ endpoint }) => endpoint.id === id);
  const open = useCallback(
    (endpoint: string) => void navigate({ search: (before) => ({ ...before, endpoint }), replace: true }),
    [navigate],
  );
  const close = () => void navigate({ search: show ? { show } : {}, replace: true });
  const rows = board.pools
    .map((pool) => ({ pool, endpoints: pool.endpoints.filter(({ id }) => show !== 'problems' || isProblem(id)) }))
    .filter(({ endpoints }) => show !== 'problems' || endpoints.length > 0);
  const openPool = board.pools.find(({ endpoints }) => endpoints.some(({ id }) => id === openId));
  const openEndpoint = openPool?.endpoints.find(({ id }) => id === openId);
  return (
    <>
      <BoardLegend counts={countSlots(board)} waiting={board.pools.reduce((sum, { waiting }) => sum + waiting, 0)} />
      <ProblemList problems={problems} onOpen={open} />
      <Section
        title="Pools"
        actions={
          problems.length > 0 && (
            <Switch
              label="Show problems only"
              isOn={show === 'problems'}
              onChange={(isOn) =>
                void navigate({
                  search: isOn ? { show: 'problems' } : {},
                  replace: true,
                })
              }
            />
          )
        }
      >
        <div className="-mt-2 [&>section:first-child]:border-t-0">
          {rows.map(({ pool, endpoints }) => (
            <PoolRow
              key={pool.name}
              pool={pool}
              endpoints={endpoints}
              now={board.generated_at}
              isDense={
                pool.endpoints.length > roomyEndpoints || pool.endpoints.some(({ slots }) => slots.length > roomySlots)
              }
              onOpen={open}
            />
          ))}
          {rows.length === 0 && <p className="py-3 text-quiet">Nothing needs attention.</p>}
        </div>
      </Section>
      <BacklogTable />
      {openPool && openEndpoint && <EndpointDialog endpoint={openEndpoint} pool={openPool.name} onClose={close} />}
    </>
  );
}

/** A board that stands still must not look live. */
function LastLook({ at }: { at: number }) {
  const seconds = (useNow() - at) / 1000;
  return seconds < 8 ? (
    <StatusDot tone="live">Live</StatusDot>
  ) : (
    <StatusDot tone="failed">{`Last update ${formatDuration(seconds)} ago`}</StatusDot>
  );
}

function BoardSkeleton() {
  return (
    <div role="status" aria-label="Loading">
      <div className="mb-6 flex gap-8">
        {[0, 1, 2, 3].map((index) => (
          <Skeleton key={index} className="h-12 w-16" />
        ))}
      </div>
      {[4, 6, 3].map((slots, index) => (
        <div key={index} className="grid gap-6 border-t py-3 md:grid-cols-[11rem_1fr]">
          <Skeleton className="h-16" />
          <div className="flex flex-wrap gap-2">
            {Array.from({ length: slots }, (_, slot) => (
              <Skeleton key={slot} className="h-16 w-26" />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}
