import { type Isolation, isolations } from '@kinora/boxes/isolation';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

/**
 * Why the API closed a connection of a caller: the caller took a response or sent a body too slowly, a newer connection
 * took the place of an idle one, or all connections were in use.
 */
export type ConnectionClosedReason = 'slow_reader' | 'slow_sender' | 'displaced' | 'refused';

/** All metrics of the server are declared here. */
export interface Metrics {
  routeTime(route: string, method: string, status: number, seconds: number): void;
  connectionClosed(reason: ConnectionClosedReason): void;
  outboxAge(seconds: number): void;
  reconcilerFinding(kind: string): void;
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
  const connectionsClosed = meter.createCounter('kinora_http_connections_closed_total', {
    description: 'Connections of callers that the API closed because of a limit, by reason',
  });
  const outboxAge = meter.createGauge('kinora_outbox_oldest_age_seconds', {
    description: 'Age of the oldest outbox message that has not reached Temporal',
  });
  const findings = meter.createCounter('kinora_reconciler_findings_total', {
    description: 'Findings of the reconciler by kind',
  });
  const reconcilerFailures = meter.createCounter('kinora_reconciler_failures_total', {
    description: 'Failures in rounds of the reconciler by step',
  });
  const reconcilerRound = meter.createGauge('kinora_reconciler_last_round_timestamp_seconds', {
    description: 'When the reconciler last completed a round in which nothing failed',
  });
  const slotGauge = meter.createGauge('kinora_endpoint_slots', { description: 'Slots of an endpoint by state' });
  let knownEndpoints: string[] = [];
  const recordSlots = ({ endpointId, slots, leased }: { endpointId: string; slots: number; leased: number }): void => {
    slotGauge.record(leased, { endpoint: endpointId, state: 'leased' });
    slotGauge.record(slots - leased, { endpoint: endpointId, state: 'free' });
  };
  const expired = meter.createCounter('kinora_expired_total', {
    description: 'Expired items deleted by retention, by kind',
  });

  const sweepRefused = meter.createGauge('kinora_sweep_refused', {
    description: 'Whether the latest sweep was refused (1) or not (0)',
  });

  const storedSecrets = meter.createGauge('kinora_stored_secrets', {
    description: 'Stored webhook and callback secrets that the first secret key did not encrypt, by state',
  });

  const isolationGauge = meter.createGauge('kinora_isolation', {
    description: 'The isolation of child processes (1), by level: limits, confined or namespaces',
  });

  return {
    routeTime: (route, method, status, seconds) =>
      routeTimes.record(seconds, { route, method, status: String(status) }),
    connectionClosed: (reason) => connectionsClosed.add(1, { reason }),
    outboxAge: (seconds) => outboxAge.record(seconds),
    reconcilerFinding: (kind) => findings.add(1, { kind }),
    reconcilerFailure: (step) => reconcilerFailures.add(1, { step }),
    reconcilerRound: (at) => reconcilerRound.record(at.getTime() / 1000),
    sweepRefused: (isRefused) => sweepRefused.record(isRefused ? 1 : 0),
    storedSecrets: ({ underOtherKeys, unreadable }) => {
      storedSecrets.record(underOtherKeys, { state: 'other_key' });
      storedSecrets.record(unreadable, { state: 'unreadable' });
    },
    isolation: (level) => {
      for (const other of isolations) isolationGauge.record(other === level ? 1 : 0, { level: other });
    },
    expired: (kind, count) => expired.add(count, { kind }),
    slots: (endpoints) => {
      // A gauge repeats its last value until it gets another.
      for (const endpointId of knownEndpoints) recordSlots({ endpointId, slots: 0, leased: 0 });
      knownEndpoints = endpoints.map(({ endpointId }) => endpointId);
      for (const endpoint of endpoints) recordSlots(endpoint);
    },
    render: async () => serializer.serialize((await exporter.collect()).resourceMetrics),
    close: () => provider.shutdown(),
  };
}
