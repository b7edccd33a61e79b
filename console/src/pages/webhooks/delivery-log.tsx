import type { WebhookDelivery, WebhookEndpoint } from '@kinora/sdk';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useProject } from '../../api/project.tsx';
import { useList } from '../../api/use-list.ts';
import { Button } from '../../design/button.tsx';
import { LoadMore } from '../../design/load-more.tsx';
import { Moment } from '../../design/moment.tsx';
import { Section } from '../../design/page.tsx';
import { SearchField } from '../../design/search-field.tsx';
import { Select } from '../../design/select.tsx';
import { Empty, Problem, SkeletonRows } from '../../design/states.tsx';
import { StatusDot } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { statusOf } from '../../tasks/delivery-words.ts';
import { eventTypes, type WebhooksSearch } from './webhooks-search.ts';

const route = getRouteApi('/app-shell/p/$project/$mode/webhooks');

/** The delivery log: event, receiver and result. */
export function DeliveryLog({ endpoints }: { endpoints: readonly WebhookEndpoint[] }) {
  const { kinora, key } = useProject();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { status, endpoint, event, task } = search;
  const list = useList(
    [...key, 'webhook-deliveries', { status, endpoint, event, task }],
    (after, signal) =>
      kinora.webhookEndpoints.deliveries.list(
        {
          limit: 25,
          ...after,
          ...(status ? { status } : {}),
          ...(endpoint ? { endpoint_id: endpoint } : {}),
          ...(event ? { event_type: event } : {}),
          ...(task ? { task_id: task } : {}),
        },
        { signal },
      ),
    { refetchInterval: 10_000 },
  );
  const change = (next: WebhooksSearch): void => void navigate({ search: next, replace: true });
  const { status: _status, endpoint: _endpoint, event: _event, task: _task, ...unfiltered } = search;
  const isFiltered = Boolean(status || endpoint || event || task);
  return (
    <Section title="Deliveries">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Select
          isBare
          className="w-36"
          label="Status"
          value={status ?? 'all'}
          options={[
            { value: 'all', label: 'Any status' },
            { value: 'pending', label: 'Pending' },
            { value: 'delivered', label: 'Delivered' },
            { value: 'dead', label: 'Given up' },
          ]}
          onChange={(next) => change({ ...search, status: next === 'all' ? undefined : next })}
        />
        <Select
          isBare
          className="w-52"
          label="Endpoint"
          value={endpoint ?? 'all'}
          options={[
            { value: 'all', label: 'All receivers' },
            ...endpoints.map(({ id, url }) => ({ value: id, label: placeOf(url) })),
          ]}
          onChange={(next) => change({ ...search, endpoint: next === 'all' ? undefined : next })}
        />
        <Select
          isBare
          className="w-40"
          label="Event"
          value={event ?? 'all'}
          options={[
            { value: 'all', label: 'All events' },
            ...[...eventTypes, 'webhook.test' as const].map((value) => ({ value, label: value })),
          ]}
          onChange={(next) => change({ ...search, event: next === 'all' ? undefined : next })}
        />
        <SearchField
          label="Task id"
          placeholder="task_…"
          value={task ?? ''}
          onChange={(next) => change({ ...search, task: next || undefined })}
        />
        {isFiltered && (
          <Button look="quiet" onClick={() => change(unfiltered)}>
            Clear
          </Button>
        )}
      </div>
      {list.isPending ? (
        <SkeletonRows />
      ) : list.isError && !list.items ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : list.items?.length === 0 ? (
        isFiltered ? (
          <Empty title="No matching deliveries" action={<Button onClick={() => change(unfiltered)}>Show all</Button>}>
            Remove a filter, or show all deliveries.
          </Empty>
        ) : (
          <Empty title="No deliveries yet">
            Each event that Kinora sends to an endpoint or a callback URL appears here, with every try and the response.
          </Empty>
        )
      ) : (
        <>
          <DeliveryTable deliveries={list.items ?? []} endpoints={endpoints} />
          <LoadMore list={list} />
        </>
      )}
    </Section>
  );
}

function DeliveryTable({
  deliveries,
  endpoints,
}: {
  deliveries: readonly WebhookDelivery[];
  endpoints: readonly WebhookEndpoint[];
}) {
  const navigate = route.useNavigate();
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
  return (
    <Table
      caption="Deliveries, newest first"
      rows={deliveries}
      keyOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ search: (search) => ({ ...search, delivery: id }) })}
      columns={[
        {
          head: 'Event',
          cell: ({ id, event_type }) => (
            <Link
              from="/p/$project/$mode/webhooks"
              to="."
              search={(search: WebhooksSearch) => ({ ...search, delivery: id })}
              onClick={(event) => event.stopPropagation()}
              className="font-medium whitespace-nowrap hover:text-accent"
            >
              {event_type}
            </Link>
          ),
        },
        {
          head: 'Status',
          cell: (delivery) => {
            const [tone, word] = statusOf(delivery);
            return <StatusDot tone={tone}>{word}</StatusDot>;
          },
        },
        {
          head: 'Receiver',
          isMinor: true,
          cell: ({ endpoint_id }) => (
            <span className="block max-w-80 truncate" title={urls.get(endpoint_id ?? '')}>
              {endpoint_id === null ? 'Callback URL' : placeOf(urls.get(endpoint_id) ?? 'Deleted endpoint')}
            </span>
          ),
        },
        {
          head: 'Task',
          isMinor: true,
          cell: ({ task_id }) =>
            task_id === null ? (
              <span className="text-quiet">–</span>
            ) : (
              <Link
                from="/p/$project/$mode/webhooks"
                to="/p/$project/$mode/tasks/$task"
                params={(known) => ({ ...known, task: task_id })}
                onClick={(event) => event.stopPropagation()}
                title={task_id}
                className="font-mono text-small text-quiet hover:text-accent"
              >
                …{task_id.slice(-8)}
              </Link>
            ),
        },
        { head: 'Tries', isNumber: true, cell: ({ try_count }) => try_count },
        { head: 'When', className: 'text-right', cell: ({ created_at }) => <Moment at={created_at} /> },
      ]}
    />
  );
}

/** Returns a URL without its scheme, as people say it. */
export function placeOf(url: string): string {
  return url.replace(/^https?:\/\//, '');
}
