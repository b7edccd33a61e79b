import { startInstallation } from '@kinora/stack/harness/installation';
import { ampleLimits } from '@kinora/stack/harness/project-limits';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { startTemporaryStack } from '@kinora/stack/parts/temporary-stack';
import type { TestProject } from 'vitest/node';

/** What the walks know of the installation they walk through. */
export interface World {
  url: string;
  projectId: string;
  testKey: string;
  liveKey: string;
  /** The settings of every process, for `kinora-server` commands. */
  environment: Record<string, string>;
  stackName: string;
  animaticUrl: string;
  apiMetricsUrl: string;
  relayMetricsUrl: string;
  relayPid: number;
  /** Callers may name http://127.0.0.1 with this port; nobody listens there until a test does. */
  imagePort: number;
  /** Callers may name this port too; nobody ever listens there. */
  deadPort: number;
}

declare module 'vitest' {
  export interface ProvidedContext {
    world: World;
  }
}

/** More than one, so that a limit on running tasks is seen to be the project's and not the engine's. */
const slots = '2';
const reconcileSeconds = '5';

/** Vitest's global setup: one stack and one installation, every role a process of its own, for all walks. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = await startTemporaryStack('e2e');
  try {
    const first = await findFreePorts(6);
    const [imagePort, deadPort, relayPort] = [first + 3, first + 4, first + 5];
    const installation = await startInstallation({
      stack,
      ports: { api: first, animatic: first + 1, private: first + 2 },
      environment: {
        KINORA_SECRET_KEYS: 'e2e-signs-urls-with-this-key-and-no-other',
        KINORA_ANIMATIC_SLOTS: slots,
        KINORA_RECONCILE_SECONDS: reconcileSeconds,
        KINORA_CORS_ORIGINS: 'https://app.example.com',
        KINORA_OUTBOUND_ALLOW_HTTP: 'true',
        KINORA_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1/32',
        KINORA_OUTBOUND_ALLOWED_PORTS: `${imagePort},${deadPort}`,
      },
    });
    // The relay has metrics of its own; by default only the API's can be looked at.
    await installation.stop('relay');
    const relay = await installation.start('relay', { KINORA_PRIVATE_PORT: String(relayPort) });
    const { projectId, url, testKey, liveKey, environment } = installation;
    await installation.command('projects', 'set', projectId, ...ampleLimits);
    project.provide('world', {
      url,
      projectId,
      testKey,
      liveKey,
      environment,
      stackName: stack.info.name,
      animaticUrl: `http://127.0.0.1:${first + 1}`,
      apiMetricsUrl: `http://127.0.0.1:${first + 2}/metrics`,
      relayMetricsUrl: `http://127.0.0.1:${relayPort}/metrics`,
      relayPid: relay.pid,
      imagePort,
      deadPort,
    });
    return async () => {
      await installation.close();
      await stack.wipe();
    };
  } catch (error) {
    await stack.wipe();
    throw error;
  }
}
