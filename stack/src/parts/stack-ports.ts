import { findFreePorts, takenPorts } from './free-port.ts';
import { StackError } from './stack-state.ts';

export interface PortOptions {
  name: string;
  /**
   * `default` is KINORA_STACK_BASE_PORT, or where the stack was before, or 15000; `free` picks ports nobody uses and keeps
   * to them while they are free. Left out: `default` for the stack dev, `free` for every other, so they run side by side.
   */
  ports?: 'default' | 'free' | undefined;
  /** The first of ten neighbouring ports: Postgres, S3, Temporal's eight. */
  basePort?: number | undefined;
}

const PORT_COUNT = 10;
const DEFAULT_BASE_PORT = 15_000;

/** Decides where a stack that does not run yet will listen. */
export async function chooseBasePort(options: PortOptions, remembered: number | undefined): Promise<number> {
  const fixed = (options.ports ?? (options.name === 'dev' ? 'default' : 'free')) === 'default';
  const wanted = options.basePort ?? (fixed ? fromEnvironment() : undefined);
  if (wanted !== undefined) return insistOnRange(wanted);
  if (fixed) return remembered ?? DEFAULT_BASE_PORT;
  if (remembered !== undefined && (await takenPorts(remembered, PORT_COUNT)).length === 0) return remembered;
  return findFreePorts(PORT_COUNT);
}

function fromEnvironment(): number | undefined {
  const value = process.env['KINORA_STACK_BASE_PORT'];
  return value ? Number(value) : undefined;
}

function insistOnRange(basePort: number): number {
  if (Number.isInteger(basePort) && basePort >= 1024 && basePort + PORT_COUNT <= 65_536) return basePort;
  throw new StackError(`the base port must be a whole number from 1024 to ${65_536 - PORT_COUNT}`);
}
