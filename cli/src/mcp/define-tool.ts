import type { Kinora, Task } from '@kinora/sdk';
import type { CallToolResult, McpServer, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server';
import { progressReporter } from './progress-reporter.ts';
import { toolError } from './tool-error.ts';

/** One use of a tool. */
export interface Call {
  /** Aborts when the host cancels the call, or hangs up. */
  signal: AbortSignal;
  /** Tells the host how a task is doing, if it wants to know. */
  report: (task: Task) => void;
}

/** A tool as it is written down. */
interface Definition<Input> {
  name: string;
  title: string;
  /** For the model: what it does, when to choose it, what comes back. */
  description: string;
  annotations: ToolAnnotations;
  inputSchema: StandardSchemaWithJSON<Input, Input>;
  outputSchema: StandardSchemaWithJSON;
  run: (kinora: Kinora, input: Input, call: Call) => Promise<CallToolResult>;
}

/** A tool that a server can be given. */
export interface Tool {
  name: string;
  register: (server: McpServer, kinora: () => Promise<Kinora>) => void;
}

/** Makes a tool of its definition: whatever it throws becomes an answer that the model can read. */
export function defineTool<Input>({ name, run, ...config }: Definition<Input>): Tool {
  return {
    name,
    register(server, kinora) {
      server.registerTool(name, config, async (input: Input, { mcpReq }) => {
        try {
          const report = progressReporter(mcpReq._meta?.progressToken, mcpReq.notify);
          return await run(await kinora(), input, { signal: mcpReq.signal, report });
        } catch (error) {
          return toolError(error);
        }
      });
    },
  };
}
