import { getRouteApi } from '@tanstack/react-router';
import { useProject } from '../../api/project.tsx';
import { useList } from '../../api/use-list.ts';
import { Button } from '../../design/button.tsx';
import { More } from '../../design/more.tsx';
import { Page } from '../../design/page.tsx';
import { Empty, NoPermission, Problem, SkeletonRows } from '../../design/states.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { type AuditLogSearch, auditQuery } from './audit-log-search.ts';
import { AuditTable } from './audit-table.tsx';

const route = getRouteApi('/frame/p/$project/$mode/audit-log');

/** Who changed what, and when? */
export function AuditLogPage() {
  const { may, mode } = useProject();
  if (!may('admin')) {
    return (
      <Page title="Audit log">
        <NoPermission>
          The audit log shows what people and programs did and from which addresses, so only admins of this project read
          it.
        </NoPermission>
      </Page>
    );
  }
  return <AuditLog key={mode} />;
}

function AuditLog() {
  const { kinora, key, mode } = useProject();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = auditQuery(search);
  const list = useList(
    [...key, 'audit-events', query],
    (after, signal) => kinora.auditEvents.list({ limit: 50, ...query, ...after }, { signal }),
    { refetchInterval: 30_000 },
  );
  const change = (next: AuditLogSearch): void => void navigate({ search: next, replace: true });
  return (
    <Page
      title="Audit log"
      lead={`Who changed what in ${mode} mode, and which keys were refused. Nobody can change or delete what is here.`}
    >
      <AuditFilters search={search} onChange={change} />
      {list.isPending ? (
        <SkeletonRows count={10} />
      ) : list.isError && !list.items ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : list.items?.length === 0 ? (
        Object.keys(search).length > 0 ? (
          <Empty title="No event is like that" action={<Button onClick={() => change({})}>Show all</Button>}>
            Events that match all filters will be here.
          </Empty>
        ) : (
          <Empty title="Nothing has happened yet">
            Changes of keys, webhooks, members and limits, deletions, and uses of keys that no longer work will be here.
          </Empty>
        )
      ) : (
        <>
          <AuditTable events={list.items ?? []} />
          <More list={list} />
        </>
      )}
    </Page>
  );
}
