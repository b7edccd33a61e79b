import type { WebhookEndpoint } from '@kinora/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ellipsis, KeyRound, ListFilter, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react';
import { useProject } from '../../api/project.tsx';
import { IconButton } from '../../design/button.tsx';
import { Menu } from '../../design/menu.tsx';
import { Moment } from '../../design/moment.tsx';
import { StatusDot } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { disabledReason, statusOf } from '../../tasks/delivery-words.ts';
import { placeOf } from './delivery-log.tsx';
import type { WebhooksSearch } from './webhooks-search.ts';

export interface EndpointActions {
  test: (endpoint: WebhookEndpoint) => void;
  filter: (endpoint: WebhookEndpoint) => void;
  edit: (endpoint: WebhookEndpoint) => void;
  setEnabled: (endpoint: WebhookEndpoint, isEnabled: boolean) => void;
  rotate: (endpoint: WebhookEndpoint) => void;
  remove: (endpoint: WebhookEndpoint) => void;
}

/** Lists the webhook endpoints with their status and last delivery. */
export function EndpointTable({
  endpoints,
  actions,
}: {
  endpoints: readonly WebhookEndpoint[];
  actions: EndpointActions;
}) {
  return (
    <Table
      caption="Webhook endpoints"
      rows={endpoints}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'URL',
          cell: ({ url, description }) => (
            <div className="max-w-96 min-w-32 max-md:max-w-44">
              <p className="truncate font-medium" title={url}>
                {placeOf(url)}
              </p>
              {description && <p className="truncate text-small text-quiet">{description}</p>}
            </div>
          ),
        },
        {
          head: 'Events',
          isMinor: true,
          cell: ({ events }) => (
            <span className="text-quiet">
              {events.length === 0 ? 'All' : events.map((type) => type.replace('video.', '')).join(', ')}
            </span>
          ),
        },
        { head: 'Status', cell: (endpoint) => <EndpointStatus endpoint={endpoint} /> },
        { head: 'Last delivery', isMinor: true, cell: ({ id }) => <LastDelivery endpointId={id} /> },
        {
          head: 'Actions',
          className: 'w-8 text-right [th&]:text-transparent',
          cell: (endpoint) => (
            <Menu
              trigger={
                <IconButton label={`Actions for ${placeOf(endpoint.url)}`}>
                  <Ellipsis />
                </IconButton>
              }
              actions={[
                {
                  label: 'Send a test event',
                  icon: <Send />,
                  isDisabled: endpoint.status === 'disabled',
                  onSelect: () => actions.test(endpoint),
                },
                { label: 'Show its deliveries', icon: <ListFilter />, onSelect: () => actions.filter(endpoint) },
                null,
                { label: 'Edit', icon: <Pencil />, onSelect: () => actions.edit(endpoint) },
                endpoint.status === 'enabled'
                  ? { label: 'Disable', icon: <Pause />, onSelect: () => actions.setEnabled(endpoint, false) }
                  : { label: 'Enable', icon: <Play />, onSelect: () => actions.setEnabled(endpoint, true) },
                { label: 'Rotate secret', icon: <KeyRound />, onSelect: () => actions.rotate(endpoint) },
                null,
                { label: 'Delete', icon: <Trash2 />, isDanger: true, onSelect: () => actions.remove(endpoint) },
              ]}
            />
          ),
        },
      ]}
    />
  );
}

function EndpointStatus({ endpoint }: { endpoint: WebhookEndpoint }) {
  if (endpoint.status === 'disabled') {
    return (
      <>
        <StatusDot tone="quiet">Disabled</StatusDot>
        <p className="text-small text-quiet max-md:hidden">{disabledReason(endpoint)}</p>
      </>
    );
  }
  if (endpoint.failing_since === null) return <StatusDot tone="live">Enabled</StatusDot>;
  return (
    <>
      <StatusDot tone="failed">Failing</StatusDot>
      <p className="text-small text-quiet max-md:hidden">
        since <Moment at={endpoint.failing_since} />
      </p>
    </>
  );
}

function LastDelivery({ endpointId }: { endpointId: string }) {
  const { kinora, key } = useProject();
  const { data } = useQuery({
    queryKey: [...key, 'webhook-deliveries', 'last', endpointId],
    queryFn: async ({ signal }) =>
      (await kinora.webhookEndpoints.deliveries.list({ endpoint_id: endpointId, limit: 1 }, { signal })).data[0] ??
      null,
    refetchInterval: 15_000,
  });
  if (data === undefined) return <span className="text-quiet">…</span>;
  if (data === null) return <span className="text-quiet">None yet</span>;
  const [tone, word] = statusOf(data);
  return (
    <Link
      from="/p/$project/$mode/webhooks"
      to="."
      search={(search: WebhooksSearch) => ({ ...search, delivery: data.id })}
      className="inline-flex flex-wrap items-baseline gap-x-1.5 hover:underline"
    >
      <StatusDot tone={tone}>{word}</StatusDot> <Moment at={data.created_at} />
    </Link>
  );
}
