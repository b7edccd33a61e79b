import { readFile } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UsageError } from '../exit-codes.ts';
import { createMcpServer, tools } from './create-mcp-server.ts';

const client = new Client({ name: 'test', version: '1' });
beforeAll(async () => {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const server = createMcpServer(() => Promise.reject(new UsageError('No key: run `kinora login`.')), {
    pictureFolders: [],
    saveFolder: undefined,
  });
  await server.connect(there);
  await client.connect(here);
});
afterAll(() => client.close());

const call = (name: string, fields: Record<string, unknown>) => client.callTool({ name, arguments: fields });

const readDocument = (name: string) => readFile(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
/** The part of docs/cli.md about the tools. */
const [, reference = ''] = (await readDocument('cli.md')).split('\n## Tools of kinora mcp\n');

test('docs/cli.md lists exactly the tools that exist, and docs/mcp.md names no other', async () => {
  const listed = [...reference.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
  expect(listed).toEqual(tools.map(({ name }) => name));
  const known = new Set(tools.map(({ name }) => name));
  const named = [...(await readDocument('mcp.md')).matchAll(/`(\w+_(?:videos?|models))`/g)].map(
    ([, name]) => name ?? '',
  );
  expect(named).toContain('generate_video');
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test('docs/cli.md lists every field of every tool', async () => {
  for (const { name, inputSchema } of (await client.listTools()).tools) {
    const section = reference.split(/^### /m).find((text) => text.startsWith(`${name}\n`)) ?? '';
    const listed = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, field]) => field);
    expect({ name, listed }).toEqual({ name, listed: Object.keys(inputSchema.properties ?? {}) });
  }
});

test('every tool has a description, input and output schemas, and says whether it is read-only', async () => {
  for (const tool of (await client.listTools()).tools) {
    expect(tool).toMatchObject({
      title: expect.any(String),
      description: expect.any(String),
      inputSchema: { type: 'object', additionalProperties: false },
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: !['generate_video', 'save_video', 'cancel_video'].includes(tool.name) },
    });
  }
});

describe('the input of a tool', () => {
  test('invalid tool input is rejected with every wrong field and its allowed values', async () => {
    const { content, isError } = await call('generate_video', { resolution: '4k', duration: 11, colour: 'red' });
    expect(isError).toBe(true);
    expect(content).toMatchObject([{ type: 'text' }]);
    const [text] = content.map((block) => (block.type === 'text' ? block.text : ''));
    expect(text).toContain('prompt is required');
    expect(text).toContain('resolution must be one of 480p, 720p, 1080p');
    expect(text).toContain('duration must be at most 10');
    expect(text).toContain('there is no field colour: the fields are prompt,');
  });

  test('invalid tool input is described in the words of the API', async () => {
    const { content } = await call('generate_video', { prompt: '', duration: 0.5, seed: -2, wait_seconds: '5' });
    const [text] = content.map((block) => (block.type === 'text' ? block.text : ''));
    expect(text).toContain('prompt must not be empty');
    expect(text).toContain('duration must be an integer');
    expect(text).toContain('seed must be at least -1');
    expect(text).toContain('wait_seconds must be an integer');
    const long = await call('generate_video', { prompt: 'a'.repeat(2001) });
    expect(long.content).toMatchObject([{ text: expect.stringContaining('prompt must be at most 2000 characters') }]);
  });

  test("null in a tool's input means that the field is absent", async () => {
    const { content } = await call('generate_video', { prompt: 'a boat', duration: null });
    expect(content).toMatchObject([{ text: 'No key: run `kinora login`.' }]);
  });
});

test('a server without a key starts, and its tools say what is missing', async () => {
  expect(await call('describe_models', {})).toMatchObject({
    isError: true,
    content: [{ text: 'No key: run `kinora login`.' }],
  });
});
