import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const loader = join(import.meta.dirname, '../../../.tools/bin/compose-loader');

interface Mount {
  type: 'bind' | 'volume';
  source: string;
  target: string;
  read_only?: boolean;
}

/** A service as compose-go resolves it; the part that the runner acts on. */
export interface Service {
  image: string;
  command: string[] | null;
  entrypoint: string[] | null;
  environment?: Record<string, string | null>;
  networks?: Record<string, unknown>;
  network_mode?: string;
  ports?: { host_ip?: string; published: string; target: number }[];
  volumes?: Mount[];
  tmpfs?: string[];
  user?: string;
  profiles?: string[];
  restart?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  logging?: { driver: string; options?: Record<string, string> };
  depends_on?: Record<string, { condition: 'service_healthy' | 'service_completed_successfully' | 'service_started' }>;
  healthcheck?: { test?: string[]; disable?: boolean };
}

export interface Project {
  name: string;
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean }>;
  volumes: Record<string, unknown>;
}

/** Loads the compose project of a folder with the library of Docker Compose: .env and COMPOSE_FILE count. */
export async function loadProject(folder: string, environment: Record<string, string>): Promise<Project> {
  const { stdout } = await promisify(execFile)(loader, { cwd: folder, env: environment, maxBuffer: 2 ** 26 });
  return JSON.parse(stdout) as Project;
}
