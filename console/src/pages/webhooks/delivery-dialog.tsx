import type { TriedWebhookDelivery, WebhookEndpoint } from '@kinora/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useProject } from '../../api/project.tsx';
import { Button } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code-block.tsx';
import { Copyable } from '../../design/copyable.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { formatDuration } from '../../design/format.ts';
import { Moment } from '../../design/moment.tsx';
import { Problem, SkeletonRows } from '../../design/states.tsx';
import { StatusDot } from '../../design/status.tsx';
import { deadReason, outcomeOf, statusOf } from '../../tasks/delivery-words.ts';

/** One delivery with every try, live until it is over. */
export function DeliveryDialog({
  deliveryId,
  endpoints,
  onOther,
  onClose,
}: {
  deliveryId: string;
  endpoints: readonly WebhookEndpoint[];
  onOther: (deliveryId: string) => void;
  onClose: () => void;
}) {
  const { kinora, key } = useProject();
  const queryClient = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: [...key, 'webhook-delivery', deliveryId],
    queryFn: ({ signal }) => kinora.webhookEndpoints.deliveries.get(deliveryId, { signal }),
    // The first try takes a moment; a later one is announced, so there is no hurry.
    refetchInterval: ({ state }) =>
      state.data?.status === 'pending' ? (state.data.try_count === 0 ? 1_000 : 5_000) : false,
  });
  // The lists behind the dialog shall not lag behind it.
  const state = data && `${data.status} ${data.try_count}`;
  useEffect(() => {
    if (state) void queryClient.invalidateQueries({ queryKey: [...key, 'webhook-deliveries'] });
  }, [state]);
  const again = useMutation({
    mutationFn: async () => kinora.webhookEndpoints.deliveries.redeliver(deliveryId),
    onSuccess: ({ id }) => {
      void queryClient.invalidateQueries({ queryKey: [...key, 'webhook-deliveries'] });
      onOther(id);
    },
  });
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={data ? `Delivery of ${data.event_type}` : 'Delivery'}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          {data && data.status !== 'pending' && (
            <Button look="primary" isBusy={again.isPending} onClick={() => again.mutate()}>
              <Send />
              Send again
            </Button>
          )}
        </>
      }
    >
      {data ? (
        <div className="flex flex-col gap-5">
          <Facts delivery={data} endpoints={endpoints} />
          {again.isError && <Problem isInline error={again.error} />}
          <Tries delivery={data} />
          <section>
            <h3 className="mb-1 font-semibold">Request body</h3>
            {data.body === null ? (
              <p className="text-quiet">The task and its events are no longer stored.</p>
            ) : (
              <CodeBlock code={JSON.stringify(data.body, null, 2)} label="Request body" />
            )}
          </section>
        </div>
      ) : error ? (
        <Problem isInline error={error} onRetry={() => void refetch()} />
      ) : (
        <SkeletonRows count={5} />
      )}
    </Dialog>
  );
}

function Facts({ delivery, endpoints }: { delivery: TriedWebhookDelivery; endpoints: readonly WebhookEndpoint[] }) {
  const { id, mode } = useProject();
  const [tone, word] = statusOf(delivery);
  const reason = deadReason(delivery);
  const endpoint = endpoints.find((one) => one.id === delivery.endpoint_id);
  const facts: [string, ReactNode][] = [
    [
      'Status',
      <span key="status" role="status" className="flex flex-wrap items-baseline gap-x-2">
        <StatusDot tone={tone}>{word}</StatusDot>
        {reason && <span className="text-quiet">{reason}</span>}
        {delivery.next_try_at !== null && delivery.try_count > 0 && (
          <span className="text-quiet">
            Next try <Moment at={delivery.next_try_at} />
          </span>
        )}
      </span>,
    ],
    [
      'Receiver',
      delivery.endpoint_id === null ? (
        'The callback URL of the task'
      ) : endpoint ? (
        <span className="break-all">{endpoint.url}</span>
      ) : (
        <Copyable text={delivery.endpoint_id} label="endpoint id" />
      ),
    ],
    ...(delivery.task_id === null
      ? []
      : ([
          [
            'Task',
            <Link
              key="task"
              to="/p/$project/$mode/tasks/$task"
              params={{ project: id, mode, task: delivery.task_id }}
              className="font-mono text-small text-accent hover:underline"
            >
              {delivery.task_id}
            </Link>,
          ],
        ] satisfies [string, ReactNode][])),
    ['Event', <Copyable key="event" text={delivery.event_id} label="event id" />],
    ['Created', <Moment key="created" at={delivery.created_at} />],
  ];
  return (
    <dl className="grid grid-cols-[5rem_1fr] gap-x-3 gap-y-1">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-quiet">{name}</dt>
          <dd className="min-w-0">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Tries({ delivery: { tries, status } }: { delivery: TriedWebhookDelivery }) {
  return (
    <section>
      <h3 className="mb-1 font-semibold">Tries</h3>
      {tries.length === 0 && (
        <p className="text-quiet">{status === 'pending' ? 'The first try is in progress.' : 'No tries.'}</p>
      )}
      <ol className="border-l border-line-strong pl-4">
        {tries.map((one) => {
          const { isSuccess, text } = outcomeOf(one);
          return (
            <li key={one.number} className="relative pb-3 last:pb-0">
              <span
                aria-hidden="true"
                className={`absolute top-1.5 -left-4 size-2 -translate-x-1/2 rounded-round ${isSuccess ? 'bg-done' : 'bg-failed'}`}
              />
              <p className="flex flex-wrap items-baseline gap-x-3">
                <span className={isSuccess ? 'text-done' : 'text-failed'}>{text}</span>
                <span className="text-small text-quiet">
                  Try {one.number}, <Moment at={one.at} />, took{' '}
                  {one.duration_ms < 1000 ? `${one.duration_ms} ms` : formatDuration(one.duration_ms / 1000)}
                </span>
              </p>
              {one.answer !== null && one.answer !== '' && (
                <pre className="mt-1 max-h-32 overflow-auto rounded-box border bg-ground px-2 py-1 text-small break-all whitespace-pre-wrap">
                  {one.answer}
                </pre>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
