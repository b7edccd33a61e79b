import type { Task, WebhookDelivery } from '@kinora/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight, Send } from 'lucide-react';
import { useState } from 'react';
import { useProject } from '../../api/project.tsx';
import { Button } from '../../design/button.tsx';
import { classes } from '../../design/classes.ts';
import { formatRelative } from '../../design/format.ts';
import { Moment, useNow } from '../../design/moment.tsx';
import { Section } from '../../design/page.tsx';
import { Problem, Skeleton, SkeletonRows } from '../../design/states.tsx';
import { StatusDot } from '../../design/status.tsx';
import { toast } from '../../design/toasts.tsx';
import { deadReason, outcomeOf, statusOf } from '../../tasks/delivery-words.ts';

const pollMilliseconds = 3_000;

/** Lists the webhook deliveries of this task, each with its tries and a button that sends it again. */
export function WebhookSection({ task }: { task: Task }) {
  const { id: project, mode, kinora, key } = useProject();
  const { data, error, refetch } = useQuery({
    // Each event of the task makes deliveries.
    queryKey: [...key, 'deliveries-of-task', task.id, task.status],
    queryFn: async ({ signal }) =>
      (await kinora.webhookEndpoints.deliveries.list({ task_id: task.id, limit: 100 }, { signal })).data,
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'pending') ? pollMilliseconds : false),
  });
  const { data: endpoints } = useQuery({
    queryKey: [...key, 'urls-of-endpoints'],
    queryFn: async ({ signal }) => (await kinora.webhookEndpoints.list({ limit: 100 }, { signal })).data,
  });
  const receiverOf = ({ endpoint_id }: WebhookDelivery): string =>
    endpoint_id === null
      ? 'callback_url of the request'
      : (endpoints?.find(({ id }) => id === endpoint_id)?.url ?? endpoint_id);
  return (
    <Section title="Webhooks">
      {error && !data ? (
        <Problem error={error} onRetry={() => void refetch()} isInline />
      ) : !data ? (
        <SkeletonRows count={2} />
      ) : data.length === 0 ? (
        <p className="text-quiet">
          No webhooks were sent for this task.{' '}
          <Link
            to="/p/$project/$mode/webhooks"
            params={{ project, mode }}
            className="rounded-small text-accent underline"
          >
            Add an endpoint
          </Link>{' '}
          to get an event when tasks end.
        </p>
      ) : (
        <ul>
          {data.map((delivery) => (
            <Delivery key={delivery.id} delivery={delivery} receiver={receiverOf(delivery)} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Delivery({ delivery, receiver }: { delivery: WebhookDelivery; receiver: string }) {
  const { kinora, key } = useProject();
  const queryClient = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const sendAgain = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await kinora.webhookEndpoints.deliveries.redeliver(delivery.id);
      toast('The event is sent again, as a new delivery.');
      await queryClient.invalidateQueries({ queryKey: [...key, 'deliveries-of-task', delivery.task_id] });
    } catch (error) {
      toast(error instanceof Error ? error.message : 'The event could not be sent again.');
    }
    setIsBusy(false);
  };
  return (
    <li className="border-b py-1.5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="flex min-w-0 grow basis-60 items-center gap-2 rounded-small text-left hover:text-accent"
        >
          <ChevronRight
            className={classes('size-4 shrink-0 transition-transform duration-150', isOpen && 'rotate-90')}
          />
          <span className="shrink-0 font-mono text-small">{delivery.event_type}</span>
          <span className="truncate text-quiet">{receiver}</span>
        </button>
        <DeliveryStatus delivery={delivery} />
        <span className="text-small text-quiet">
          {delivery.try_count} {delivery.try_count === 1 ? 'try' : 'tries'}, <Moment at={delivery.created_at} />
        </span>
        <Button look="quiet" className="h-7 px-2" isBusy={isBusy} onClick={() => void sendAgain()}>
          <Send /> Send again
        </Button>
      </div>
      {isOpen && <Tries delivery={delivery} />}
    </li>
  );
}

function DeliveryStatus({ delivery }: { delivery: WebhookDelivery }) {
  const now = useNow();
  const { status, next_try_at } = delivery;
  const [tone, word] = statusOf(delivery);
  const reason = deadReason(delivery);
  const isLater = status === 'pending' && next_try_at !== null && next_try_at * 1000 > now + 1_000;
  return (
    <>
      <StatusDot tone={tone}>{isLater ? `Next try ${formatRelative(next_try_at, now)}` : word}</StatusDot>
      {reason !== null && <span className="text-small text-quiet">{reason}</span>}
    </>
  );
}

function Tries({ delivery }: { delivery: WebhookDelivery }) {
  const { kinora, key } = useProject();
  const { data, error, refetch } = useQuery({
    queryKey: [...key, 'delivery', delivery.id, delivery.try_count],
    queryFn: ({ signal }) => kinora.webhookEndpoints.deliveries.get(delivery.id, { signal }),
  });
  if (error) return <Problem error={error} onRetry={() => void refetch()} isInline />;
  if (!data) return <Skeleton className="mt-2 h-10" />;
  if (data.tries.length === 0) return <p className="py-2 pl-6 text-quiet">Not tried yet.</p>;
  return (
    <ol className="flex flex-col gap-1 py-2 pl-6">
      {data.tries.map((one) => {
        const { isSuccess, text } = outcomeOf(one);
        return (
          <li key={one.number} className="flex flex-wrap gap-x-3 text-small">
            <span className="text-quiet">Try {one.number}</span>
            <span className={isSuccess ? 'text-done' : 'text-failed'}>{text}</span>
            <span className="font-mono text-quiet">{one.duration_ms} ms</span>
            <span className="text-quiet">
              <Moment at={one.at} />
            </span>
            {one.answer && <code className="w-full truncate text-quiet">{one.answer}</code>}
          </li>
        );
      })}
    </ol>
  );
}
