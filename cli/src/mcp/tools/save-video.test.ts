import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kinora } from '@kinora/sdk';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { afterAll, describe, expect, test } from 'vitest';
import { useFolder } from '../../picture-files.fixture.ts';
import { createMcpServer } from '../create-mcp-server.ts';

const files = useFolder();
const id = `task_${'0'.repeat(26)}`;
const clients: Client[] = [];
afterAll(() => Promise.all(clients.map((client) => client.close())));

/** Calls the tool, for a service whose only task is completed and has a video of this size, sent as `bytes`. */
async function saveVideo({ size, bytes }: { size: number; bytes: string }, saveFolder: string | undefined) {
  const task = { id, status: 'completed', is_final: true, warnings: [], video: { size_bytes: size } };
  const fetch = async (input: string | URL | Request) =>
    new Response(new Request(input).url.endsWith('/content') ? new Blob([bytes]).stream() : JSON.stringify(task));
  const kinora = new Kinora({ apiKey: 'kin_test_x', baseUrl: 'http://127.0.0.1:9', fetch });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await createMcpServer(async () => kinora, { pictureFolders: [], saveFolder }).connect(there);
  const client = new Client({ name: 'test', version: '1' });
  clients.push(client);
  await client.connect(here);
  return client.callTool({ name: 'save_video', arguments: { task_id: id } });
}

describe('save_video', () => {
  test('returns the absolute path of the file, as text, as data and as a link', async () => {
    const folder = join(files.folder, 'saved');
    const path = join(folder, `${id}.mp4`);
    expect(await saveVideo({ size: 9, bytes: 'the video' }, folder)).toMatchObject({
      content: [{ text: expect.stringContaining(path) }, { type: 'resource_link', uri: `file://${path}`, size: 9 }],
      structuredContent: { task_id: id, path, size_bytes: 9 },
    });
    expect(await readFile(path, 'utf8')).toBe('the video');
  });

  test('exists without a folder too, and then says which option the user must add', async () => {
    expect(await saveVideo({ size: 9, bytes: 'the video' }, undefined)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('add --save-folder <folder>') }],
    });
  });

  test.each([
    ['a video of more than 1 GB', { size: 1_000_000_001, bytes: 'the video' }, 'larger than 1 GB'],
    ['a service that sends more than it has announced', { size: 3, bytes: 'the video' }, 'more bytes than the video'],
  ])('saves nothing of %s', async (_, video, words) => {
    const folder = join(files.folder, 'bounded');
    expect(await saveVideo(video, folder)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(words) }],
    });
    expect(await readdir(folder).catch(() => [])).toEqual([]);
  });
});
