interface ConfigOptions {
  postgresPort: number;
  firstPort: number;
  dynamicConfigPath: string;
}

/** The configuration file of a Temporal server that runs all four services; metrics, pprof and the HTTP API stay off. */
export function temporalConfig({ postgresPort, firstPort, dynamicConfigPath }: ConfigOptions) {
  const store = (databaseName: string, connections: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `127.0.0.1:${postgresPort}`,
      connectProtocol: 'tcp',
      user: 'kinora',
      password: '',
      maxConns: connections,
      maxIdleConns: connections,
      maxConnLifetime: '1h',
    },
  });
  const service = (index: number) => ({
    rpc: { grpcPort: firstPort + index, membershipPort: firstPort + 4 + index, bindOnLocalHost: true },
  });
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      // Fixed for ever once the database exists: enough for one machine, 512 or more in production.
      numHistoryShards: 4,
      datastores: { default: store('temporal', 20), visibility: store('temporal_visibility', 5) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: { frontend: service(0), history: service(1), matching: service(2), worker: service(3) },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${firstPort}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: dynamicConfigPath, pollInterval: '10s' },
  };
}

/** The settings Temporal reads again while it runs. */
export function temporalDynamicConfig() {
  const settings = {
    // Off by default. It holds within a partition, hence one partition for each queue.
    'matching.enableFairness': true,
    'matching.numTaskqueueReadPartitions': 1,
    'matching.numTaskqueueWritePartitions': 1,
    // 2,400 a second by default, which a load test reaches before anything else gives way.
    'frontend.rps': 20_000,
    'frontend.namespaceRPS': 20_000,
    // Without it a new search attribute is unknown for up to a minute.
    'system.forceSearchAttributesCacheRefreshOnRead': true,
  };
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, [{ value }]]));
}
