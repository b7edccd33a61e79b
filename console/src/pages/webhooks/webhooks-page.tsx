import type { IssuedWebhookEndpoint, WebhookEndpoint } from '@kinora/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { withFreshSignIn } from '../../api/fresh-sign-in.ts';
import { useProject } from '../../api/project.tsx';
import { useList } from '../../api/use-list.ts';
import { Button } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/confirm-dialog.tsx';
import { LoadMore } from '../../design/load-more.tsx';
import { Page } from '../../design/page.tsx';
import { ShownOnce } from '../../design/shown-once.tsx';
import { Empty, NoPermission, Problem, SkeletonRows } from '../../design/states.tsx';
import { toast } from '../../design/toasts.tsx';
import { CallbackSecret } from './callback-secret.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { DeliveryLog, placeOf } from './delivery-log.tsx';
import { type EndpointActions, EndpointTable } from './endpoint-table.tsx';
import { RotateSecretDialog } from './rotate-secret-dialog.tsx';
import { WebhookEndpointDialog } from './webhook-endpoint-dialog.tsx';

const route = getRouteApi('/app-shell/p/$project/$mode/webhooks');

type Open =
  | { what: 'create' }
  | { what: 'edit' | 'rotate' | 'remove'; endpoint: WebhookEndpoint }
  | { what: 'issued'; url: string; secret: string };

/** The page on which developers manage webhooks and see deliveries. */
export function WebhooksPage() {
  const { may, mode } = useProject();
  if (!may('developer')) {
    return (
      <Page title="Webhooks">
        <NoPermission>
          Only developers and admins can manage webhooks. Ask a project admin for the developer role.
        </NoPermission>
      </Page>
    );
  }
  return <Webhooks key={mode} />;
}

function Webhooks() {
  const { kinora, key, mode } = useProject();
  const queryClient = useQueryClient();
  const { delivery, ...closed } = route.useSearch();
  const navigate = route.useNavigate();
  const [open, setOpen] = useState<Open | null>(null);
  const endpointsKey = [...key, 'webhook-endpoints'];
  const list = useList(
    endpointsKey,
    (after, signal) => kinora.webhookEndpoints.list({ limit: 100, ...after }, { signal }),
    { refetchInterval: 15_000 },
  );
  const changed = (): void => void queryClient.invalidateQueries({ queryKey: endpointsKey });
  const openDelivery = (id: string): void => void navigate({ search: (search) => ({ ...search, delivery: id }) });
  const test = useMutation({
    mutationFn: async ({ id }: WebhookEndpoint) => kinora.webhookEndpoints.test(id),
    onSuccess: ({ id }) => {
      openDelivery(id);
      void queryClient.invalidateQueries({ queryKey: [...key, 'webhook-deliveries'] });
    },
  });
  const setEnabled = useMutation({
    mutationFn: async ({ endpoint, isEnabled }: { endpoint: WebhookEndpoint; isEnabled: boolean }) =>
      kinora.webhookEndpoints.update(endpoint.id, { status: isEnabled ? 'enabled' : 'disabled' }),
    onSuccess: (_, { endpoint, isEnabled }) => {
      changed();
      if (isEnabled) toast(`${placeOf(endpoint.url)} receives events again.`);
      else {
        const undo = { label: 'Undo', run: () => setEnabled.mutate({ endpoint, isEnabled: true }) };
        toast(`${placeOf(endpoint.url)} receives no events.`, undo);
      }
    },
  });
  const actions: EndpointActions = {
    test: (endpoint) => test.mutate(endpoint),
    filter: ({ id }) => void navigate({ search: { ...closed, endpoint: id } }),
    edit: (endpoint) => setOpen({ what: 'edit', endpoint }),
    setEnabled: (endpoint, isEnabled) => setEnabled.mutate({ endpoint, isEnabled }),
    rotate: (endpoint) => setOpen({ what: 'rotate', endpoint }),
    remove: (endpoint) => setOpen({ what: 'remove', endpoint }),
  };
  const issued = ({ url, secret }: IssuedWebhookEndpoint): void => {
    setOpen({ what: 'issued', url, secret });
    changed();
  };
  const endpoints = list.items ?? [];
  const failed = [test, setEnabled].find(({ isError }) => isError);
  const add = (
    <Button look="primary" onClick={() => setOpen({ what: 'create' })}>
      <Plus />
      Add endpoint
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      lead={`Send the events of ${mode} mode to your server.`}
      actions={list.items?.length !== 0 && add}
    >
      {failed && (
        <div className="mb-4">
          <Problem isInline error={failed.error} />
        </div>
      )}
      <div className="mb-8">
        {list.isPending ? (
          <SkeletonRows count={3} />
        ) : list.isError && !list.items ? (
          <Problem error={list.error} onRetry={() => void list.refetch()} />
        ) : endpoints.length === 0 ? (
          <Empty title="No webhooks yet" action={add}>
            Add the URL of your server. It receives an event when a video starts, completes or fails, so it does not
            have to poll.
          </Empty>
        ) : (
          <>
            <EndpointTable endpoints={endpoints} actions={actions} />
            <LoadMore list={list} />
          </>
        )}
      </div>
      {!list.isError && <DeliveryLog endpoints={endpoints} />}
      <CallbackSecret />
      {(open?.what === 'create' || open?.what === 'edit') && (
        <WebhookEndpointDialog
          endpoint={open.what === 'edit' ? open.endpoint : null}
          onCreated={issued}
          onChanged={() => {
            setOpen(null);
            toast('Endpoint saved.');
            changed();
          }}
          onClose={() => setOpen(null)}
        />
      )}
      {open?.what === 'rotate' && (
        <RotateSecretDialog
          title={`Rotate the secret of ${placeOf(open.endpoint.url)}`}
          rotate={async (request) => kinora.webhookEndpoints.rotateSecret(open.endpoint.id, request)}
          onRotated={(secret) => setOpen({ what: 'issued', url: open.endpoint.url, secret })}
          onClose={() => setOpen(null)}
        />
      )}
      {open?.what === 'remove' && (
        <ConfirmDialog
          title="Delete the endpoint"
          action="Delete endpoint"
          isDanger
          onClose={() => setOpen(null)}
          onConfirm={async () => {
            await withFreshSignIn(async () => kinora.webhookEndpoints.delete(open.endpoint.id));
            toast('Endpoint deleted.');
            changed();
          }}
        >
          <p>
            <span className="break-all">{placeOf(open.endpoint.url)}</span> receives no more events, and its pending
            deliveries end. Its secret is deleted too: a new endpoint gets a new secret. To pause the endpoint, disable
            it instead.
          </p>
        </ConfirmDialog>
      )}
      {open?.what === 'issued' && (
        <ShownOnce
          title="Signing secret"
          lead={`Configure it at ${placeOf(open.url)}, which verifies events with it. It is shown only once, but you can rotate it.`}
          secret={open.secret}
          secretName="Signing secret"
          onClose={() => setOpen(null)}
        />
      )}
      {delivery && (
        <DeliveryDialog
          deliveryId={delivery}
          endpoints={endpoints}
          onOther={openDelivery}
          onClose={() => void navigate({ search: closed })}
        />
      )}
    </Page>
  );
}
