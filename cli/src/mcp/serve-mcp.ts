import type { Kinora } from '@kinora/sdk';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from './create-mcp-server.ts';
import type { SharedFolders } from './define-tool.ts';

/** 16 MB: an image of 10 MB as a base64 data URI, and the rest of the message. */
const maxBufferSize = 16_000_000;

/** Serves on stdin and stdout until stdin ends. Tasks that a tool waits for keep running after that. */
export function serveMcp(kinora: () => Promise<Kinora>, folders: SharedFolders): void {
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize });
  // stdout is reserved for the protocol; hosts log what is written to stderr.
  const onerror = ({ message }: Error) => void process.stderr.write(`${message}\n`);
  serveStdio(() => createMcpServer(kinora, folders), { transport, onerror });
}
