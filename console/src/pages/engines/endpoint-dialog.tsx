import { Link } from '@tanstack/react-router';
import { type Endpoint, type Slot, setDrained } from '../../api/engines.ts';
import { useSession } from '../../api/session.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../design/button.tsx';
import { Copyable } from '../../design/copyable.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { type Fact, Facts } from '../../design/facts.tsx';
import { Moment } from '../../design/moment.tsx';
import { Problem } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { toast } from '../../design/toasts.tsx';
import { failureText } from '../../tasks/failure-advice.ts';

const words: Record<Endpoint['state'], string> = {
  accepting: 'Accepting jobs',
  draining: 'Draining: jobs still run, no new ones start',
  drained: 'Drained: it gets no jobs',
  tripped: 'Tripped: it gets no jobs for a while',
  probation: 'On probation: one job at a time until one succeeds',
  unreachable: 'Unreachable: it does not respond or is not ready',
  unprobed: 'Not monitored: no worker probes it',
};

/** Everything about one endpoint, and taking it out of service. */
export function EndpointDialog({ endpoint, pool, onClose }: { endpoint: Endpoint; pool: string; onClose: () => void }) {
  const isOut = endpoint.state === 'drained' || endpoint.state === 'draining';
  const busy = endpoint.slots.filter(({ state }) => state !== 'idle').length;
  const change = useChange((isDrained: boolean) => setDrained(endpoint.id, isDrained), {
    refresh: ['engines'],
    onDone: (_, isDrained) =>
      toast(isDrained ? `${endpoint.id} gets no more jobs.` : `${endpoint.id} gets jobs again.`),
  });
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={endpoint.id}
      lead={`${endpoint.engine}${endpoint.version ? ` ${endpoint.version}` : ''} in the pool ${pool}`}
      footer={
        <>
          <p className="mr-auto self-center text-small text-quiet">
            {isOut
              ? 'Resume: it gets jobs again within seconds.'
              : busy === 0
                ? 'Drain: it gets no more jobs until you resume it. Nothing is running there.'
                : `Drain: ${busy === 1 ? 'the running job ends' : `the ${busy} running jobs end`} normally, and no new ones start.`}
          </p>
          <Button look={isOut ? 'primary' : 'danger'} isBusy={change.isPending} onClick={() => change.mutate(!isOut)}>
            {isOut ? 'Resume' : 'Drain'}
          </Button>
        </>
      }
    >
      {change.error && <Problem isInline error={change.error} />}
      <div className="mt-2 mb-4">
        <Facts facts={factsOf(endpoint)} />
      </div>
      {endpoint.slots.length > 0 && <SlotTable slots={endpoint.slots} />}
    </Dialog>
  );
}

function factsOf(endpoint: Endpoint): (Fact | null)[] {
  const { since, reason, tripped_until, last_failure, last_failure_at, latency_milliseconds, seen_at } = endpoint;
  const at = (word: string, moment: number | null) =>
    moment !== null && (
      <span className="text-quiet">
        {' '}
        ({word} <Moment at={moment} />)
      </span>
    );
  return [
    [
      'State',
      <>
        {words[endpoint.state]}
        {at('since', since)}
      </>,
    ],
    reason === null ? null : ['Reason', reason],
    endpoint.state !== 'tripped' || tripped_until === null ? null : ['Tried again', <Moment at={tripped_until} />],
    [
      'Last failure',
      last_failure_at === null ? (
        <span className="text-quiet">None known.</span>
      ) : (
        <>
          <Moment at={last_failure_at} />: {failureText(last_failure ?? '')}{' '}
          <code className="text-small text-quiet">{last_failure}</code>
        </>
      ),
    ],
    [
      'Responds in',
      <>
        {latency_milliseconds === null ? 'No response' : `${latency_milliseconds} ms`}
        {at('seen', seen_at)}
      </>,
    ],
  ];
}

const slotWords = { busy: 'Busy', idle: 'Idle', draining: 'Draining' };

function SlotTable({ slots }: { slots: readonly Slot[] }) {
  const { projects } = useSession();
  const task = ({ task_id, project_id, livemode }: Slot) => {
    if (task_id === null) return null;
    if (project_id === null || livemode === null) return <Copyable text={task_id} label="task id" />;
    return (
      <Link
        to="/p/$project/$mode/tasks/$task"
        params={{ project: project_id, mode: livemode ? 'live' : 'test', task: task_id }}
        className="font-mono text-small break-all hover:text-accent"
      >
        {task_id}
      </Link>
    );
  };
  return (
    <Table
      caption="Slots"
      rows={slots}
      keyOf={({ index }) => String(index)}
      columns={[
        { head: 'Slot', cell: ({ index }) => <span className="font-mono">{index}</span> },
        { head: 'State', cell: ({ state }) => slotWords[state] },
        { head: 'Since', cell: ({ since }) => since !== null && <Moment at={since} /> },
        { head: 'Task', cell: task },
        {
          head: 'Project',
          cell: ({ project_id }) => projects.find(({ id }) => id === project_id)?.name ?? project_id,
          isMinor: true,
        },
        { head: 'Progress', cell: ({ progress }) => progress !== null && `${progress} %`, isNumber: true },
      ]}
    />
  );
}
