import { getRouteApi } from '@tanstack/react-router';
import { useProject } from '../../api/project.tsx';
import { useList } from '../../api/use-list.ts';
import { Button } from '../../design/button.tsx';
import { LoadMore } from '../../design/load-more.tsx';
import { Page } from '../../design/page.tsx';
import { Empty, NoPermission, Problem, SkeletonRows } from '../../design/states.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { type AuditLogSearch, auditQuery } from './audit-log-search.ts';
import { AuditTable } from './audit-table.tsx';

const route = getRouteApi('/app-shell/p/$project/$mode/audit-log');

/** The audit log of a project. */
export function AuditLogPage() {
  const { may, mode } = useProject();
  if (!may('admin')) {
    return (
      <Page title="Audit log">
        <NoPermission>
          The audit log shows what people and programs did, and from which addresses. Only project admins can read it.
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
      lead={`Who changed what in ${mode} mode, and which keys were refused. Nobody can edit or delete an entry.`}
    >
      <AuditFilters search={search} onChange={change} />
      {list.isPending ? (
        <SkeletonRows count={10} />
      ) : list.isError && !list.items ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : list.items?.length === 0 ? (
        Object.keys(search).length > 0 ? (
          <Empty title="No matching events" action={<Button onClick={() => change({})}>Show all</Button>}>
            Remove a filter, or show all events.
          </Empty>
        ) : (
          <Empty title="No events yet">
            Changes to keys, webhooks, members and limits appear here. So do deletions and requests with expired or
            revoked keys.
          </Empty>
        )
      ) : (
        <>
          <AuditTable events={list.items ?? []} />
          <LoadMore list={list} />
        </>
      )}
    </Page>
  );
}
