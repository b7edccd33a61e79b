import type { Kinora } from '@kinora/sdk';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from './create-mcp-server.ts';

/** A picture of 10 MB as a data URI, and what is around it. */
const maxBufferSize = 16_000_000;

/** Serves on stdin and stdout until stdin ends. Tasks that are waited for then go on. */
export function serveMcp(kinora: () => Promise<Kinora>): void {
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize });
  // stdout belongs to the protocol; hosts keep what is written to stderr.
  const onerror = ({ message }: Error) => void process.stderr.write(`${message}\n`);
  serveStdio(() => createMcpServer(kinora), { transport, onerror });
}
