import type { RoleName } from '@kinora/stack/harness/installation';
import { startLoopbackServer } from '@kinora/stack/harness/loopback-server';
import { findSelfRepairs } from '@kinora/stack/harness/self-repairs';
import { reservePorts } from '@kinora/stack/parts/free-port';
import type { TestProject } from 'vitest/node';
import { startConsoleWorld } from './console-world.ts';

/** What the tests of the console know about the installation that they test. */
export interface ProvidedConsole {
  consoleUrl: string;
  url: string;
  projectId: string;
  otherProjectId: string;
  testKey: string;
  liveKey: string;
  usedWelcomeUrl: string;
  environment: Record<string, string>;
  databaseUrl: string;
  /** The service may deliver webhooks to this port of 127.0.0.1. */
  receiverPort: number;
  /** A POST to /stop/ROLE or /start/ROLE of this server does that, and responds once it is done. */
  controlUrl: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    console: ProvidedConsole;
  }
}

/** Vitest's global setup: starts one installation with the console for all of its tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const receiverPort = await reservePorts(1);
  const world = await startConsoleWorld({ withCog: true, loopbackPorts: [receiverPort] });
  const { installation, stack, usedWelcomeUrl, otherProjectId } = world;
  const { consoleUrl, url, projectId, testKey, liveKey, environment } = installation;
  const control = await startLoopbackServer((request, response) => {
    const [, verb, role] = (request.url ?? '').split('/') as [string, 'start' | 'stop', RoleName];
    const act = verb === 'start' ? installation.start(role) : installation.stop(role);
    act.then(
      () => response.writeHead(204).end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  project.provide('console', {
    controlUrl: control.url,
    consoleUrl,
    url,
    projectId,
    otherProjectId,
    testKey,
    liveKey,
    usedWelcomeUrl,
    environment,
    databaseUrl: stack.info.databaseUrl,
    receiverPort,
  });
  return async () => {
    await control.close();
    try {
      // One file stops roles, but only such as have nothing to repair afterwards: the API and the console.
      const repairs = await findSelfRepairs(stack, installation);
      if (repairs.length > 0) throw new Error(`without any injected fault:\n${repairs.join('\n')}`);
    } finally {
      await world.close();
    }
  };
}
