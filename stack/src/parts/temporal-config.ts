interface ConfigOptions {
  postgresPort: number;
  firstPort: number;
  dynamicConfigPath: string;
}

/** Returns the configuration of a Temporal server with all four services, without metrics, pprof and the HTTP API. */
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
      // Cannot be changed once the database exists. 4 is enough for one machine; use 512 or more in production.
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

/** Returns the settings that Temporal rereads while it runs. */
export function temporalDynamicConfig() {
  const settings = {
    // Off by default. Fairness applies within a partition, so each queue gets only one partition.
    'matching.enableFairness': true,
    'matching.numTaskqueueReadPartitions': 1,
    'matching.numTaskqueueWritePartitions': 1,
    // The default is 2,400 requests per second, which a load test reaches before any other limit.
    'frontend.rps': 20_000,
    'frontend.namespaceRPS': 20_000,
    // By default a vanished worker is noticed after 70 s; until then it is given tasks, lost until their time limits.
    'frontend.keepAliveTime': '2s',
    'frontend.keepAliveTimeout': '4s',
    // Without this, a new search attribute is unknown for up to a minute.
    'system.forceSearchAttributesCacheRefreshOnRead': true,
  };
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, [{ value }]]));
}
