import { type Isolation, isolations } from '@kinora/boxes/isolation';
import type { Meter } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

/**
 * Why the API closed a connection of a caller: the caller took a response or sent a body too slowly, a newer connection
 * took the place of an idle one, or all connections were in use.
 */
const closedReasons = ['slow_reader', 'slow_sender', 'displaced', 'refused'] as const;
export type ConnectionClosedReason = (typeof closedReasons)[number];

/** What the reconciler may find. Every series exists from the start, because an increase is seen only from one value to the next. */
const findingKinds = [
  'miscounted',
  'admitted',
  'waited-too-long',
  'lived-too-long',
  'restarted',
  'outgrown',
  'stuck',
  'given-up',
  'completed-without-end',
  'delivery-restarted',
  'delivery-stuck',
  'delivery-without-end',
] as const;
type FindingKind = (typeof findingKinds)[number];

/** All metrics of the server are declared here. */
export interface Metrics {
  routeTime(route: string, method: string, status: number, seconds: number): void;
  connectionClosed(reason: ConnectionClosedReason): void;
  outboxAge(seconds: number): void;
  reconcilerFinding(kind: FindingKind): void;
  /** Counts a workflow that ended because this version's code no longer fits its history. */
  workflowOutgrown(version: string): void;
  reconcilerFailure(step: string): void;
  /** Notes a round of the reconciler in which nothing failed. */
  reconcilerRound(at: Date): void;
  /** Records the slots of all endpoints; an endpoint that is missing has none any more. */
  slots(endpoints: readonly { endpointId: string; slots: number; leased: number }[]): void;
  /** Records whether the latest sweep was refused. */
  sweepRefused(isRefused: boolean): void;
  /** Records how many stored secrets need a key that is not the first, and how many no key opens. */
  storedSecrets(counts: { underOtherKeys: number; unreadable: number }): void;
  /** Records how child processes are isolated. */
  isolation(isolation: Isolation): void;
  /** Counts what retention deleted: files of tasks, uploads, objects, partitions, keys. */
  expired(kind: string, count: number): void;
  /** Returns all metrics in Prometheus's text format. */
  render(): Promise<string>;
  close(): Promise<void>;
}

export function createMetrics(): Metrics {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const meter = provider.getMeter('kinora');
  const serializer = new PrometheusSerializer('', false, undefined, true, true);

  const routeTimes = meter.createHistogram('kinora_http_request_duration_seconds', {
    description: 'Response time by route',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] },
  });
  const connectionsClosed = createCounter(
    meter,
    'kinora_http_connections_closed_total',
    'reason',
    closedReasons,
    'Connections of callers that the API closed because of a limit, by reason',
  );
  const gauges = createGauges(meter);
  const findings = createCounter(
    meter,
    'kinora_reconciler_findings_total',
    'kind',
    findingKinds,
    'Findings of the reconciler by kind',
  );
  const outgrown = meter.createCounter('kinora_workflows_outgrown_total', {
    description: 'Workflows that were started again because a version no longer fits their history, by that version',
  });
  const reconcilerFailures = meter.createCounter('kinora_reconciler_failures_total', {
    description: 'Failures in rounds of the reconciler by step',
  });
  const slots = createSlotGauge(meter);
  const expired = meter.createCounter('kinora_expired_total', {
    description: 'Expired items deleted by retention, by kind',
  });

  return {
    routeTime: (route, method, status, seconds) =>
      routeTimes.record(seconds, { route, method, status: String(status) }),
    connectionClosed: (reason) => connectionsClosed.add(1, { reason }),
    outboxAge: (seconds) => gauges.outboxAge.record(seconds),
    reconcilerFinding: (kind) => findings.add(1, { kind }),
    workflowOutgrown: (version) => outgrown.add(1, { version }),
    reconcilerFailure: (step) => reconcilerFailures.add(1, { step }),
    reconcilerRound: (at) => gauges.reconcilerRound.record(at.getTime() / 1000),
    sweepRefused: (isRefused) => gauges.sweepRefused.record(isRefused ? 1 : 0),
    storedSecrets: ({ underOtherKeys, unreadable }) => {
      gauges.storedSecrets.record(underOtherKeys, { state: 'other_key' });
      gauges.storedSecrets.record(unreadable, { state: 'unreadable' });
    },
    isolation: (level) => {
      for (const other of isolations) gauges.isolation.record(other === level ? 1 : 0, { level: other });
    },
    expired: (kind, count) => expired.add(count, { kind }),
    slots,
    render: async () => serializer.serialize((await exporter.collect()).resourceMetrics),
    close: () => provider.shutdown(),
  };
}

/** Creates a counter whose series all exist from the start. */
function createCounter(meter: Meter, name: string, label: string, values: readonly string[], description: string) {
  const counter = meter.createCounter(name, { description });
  for (const value of values) counter.add(0, { [label]: value });
  return counter;
}

function createSlotGauge(meter: Meter): Metrics['slots'] {
  const gauge = meter.createGauge('kinora_endpoint_slots', { description: 'Slots of an endpoint by state' });
  let known: string[] = [];
  const record = (endpoint: string, leased: number, free: number): void => {
    gauge.record(leased, { endpoint, state: 'leased' });
    gauge.record(free, { endpoint, state: 'free' });
  };
  return (endpoints) => {
    // A gauge repeats its last value until it gets another.
    for (const endpoint of known) record(endpoint, 0, 0);
    known = endpoints.map(({ endpointId }) => endpointId);
    for (const { endpointId, slots, leased } of endpoints) record(endpointId, leased, slots - leased);
  };
}

function createGauges(meter: Meter) {
  const create = (name: string, description: string) => meter.createGauge(name, { description });
  return {
    outboxAge: create(
      'kinora_outbox_oldest_age_seconds',
      'Age of the oldest outbox message that has not reached Temporal',
    ),
    reconcilerRound: create(
      'kinora_reconciler_last_round_timestamp_seconds',
      'When the reconciler last completed a round in which nothing failed',
    ),
    sweepRefused: create('kinora_sweep_refused', 'Whether the latest sweep was refused (1) or not (0)'),
    storedSecrets: create(
      'kinora_stored_secrets',
      'Stored webhook and callback secrets that the first secret key did not encrypt, by state',
    ),
    isolation: create(
      'kinora_isolation',
      'The isolation of child processes (1), by level: limits, confined or namespaces',
    ),
  };
}
