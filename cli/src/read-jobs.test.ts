import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Job, readJobs } from './read-jobs.ts';
import { temporaryFolder } from './temporary-folder.fixture.ts';
import { describeError } from './terminal/describe-error.ts';

const folder = temporaryFolder();

async function read(text: string, name = 'jobs.jsonl'): Promise<Job[]> {
  const path = join(folder, name);
  await writeFile(path, text);
  return readJobs(path);
}

/** Returns what the user sees if a file is rejected. */
const refusal = (text: string, name?: string) => read(text, name).then(() => 'accepted', describeError);

const keys = (jobs: Job[]) => jobs.map(({ idempotencyKey }) => idempotencyKey);

describe('the idempotency key of a line', () => {
  test('does not depend on the order of fields or lines, nor on the output', async () => {
    const one = await read('{"prompt":"a","seed":1}\n{"prompt":"b"}\n');
    const other = await read('\n{"prompt":"b","output":"b.mp4"}\n\n{"seed":1,"prompt":"a"}');
    expect(keys(other)).toEqual(keys(one).toReversed());
    expect(keys(await read('prompt,seed\nb,\na,1\n', 'jobs.csv'))).toEqual(keys(other));
  });

  test('differs for two identical lines, and for different requests', async () => {
    const all = keys(
      await read('{"prompt":"a"}\n{"prompt":"a"}\n{"prompt":"a","seed":1}\n{"prompt":"a","image":"https://x.y/z"}'),
    );
    expect(new Set(all).size).toBe(4);
  });

  test('and the default file name do not depend on the position of the line', async () => {
    const [first] = await read('{"prompt":"A boat, at dusk!"}');
    const [, second] = await read('{"prompt":"new"}\n{"prompt":"A boat, at dusk!"}');
    expect(second?.output).toBe(first?.output);
    expect(first?.output).toMatch(/^a-boat-at-dusk-[0-9a-f]{8}\.mp4$/);
    expect((await read('{"prompt":"🚢"}'))[0]?.output).toMatch(/^video-[0-9a-f]{8}\.mp4$/);
  });
});

test('all problems are reported together, each with its line number', async () => {
  const text = [
    '{"prompt":"a","output":"x.mp4"}',
    '{"prompt":" "}',
    '[1]',
    '{"prompt":',
    '{"prompt":"b","output":"./x.mp4"}',
    '{"prompt":"c","image":"none.png"}',
    '{"prompt":"d","image":7}',
    '{"prompt":"e","output":"../e.mp4"}',
    '{"prompt":"f","output":"/f\\u001b[2J.mp4"}',
  ];
  const message = await refusal(text.join('\n'));
  expect([...message.matchAll(/line (\d+)/g)].map(([, line]) => Number(line))).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  expect(message).toContain('line 9: the output /f [2J.mp4 is outside the output folder');
  expect(message).toContain('line 5: x.mp4 is also the output of another line');
  expect(message).toContain(`line 6: the picture ${join(folder, 'none.png')} cannot be read`);
});

test('a CSV file with a wrong head, an extra cell or no jobs is rejected', async () => {
  expect(await refusal('text\na\n', 'jobs.csv')).toContain('line 1: there is no column "prompt"');
  expect(await refusal('prompt,seed,seed\na,1,2\n', 'jobs.csv')).toContain('"seed" appears twice');
  expect(await refusal('prompt\na boat, at dusk\n', 'jobs.csv')).toContain('line 2: it has 2 cells');
  expect(await refusal('', 'jobs.csv')).toContain('contains no jobs');
});

test('numbers in a CSV file become numbers, empty cells are absent, and unknown columns are sent to the service', async () => {
  const [job] = await read('prompt,duration,seed,model,speed\na,5,,x,fast\n', 'jobs.csv');
  expect(job?.fields).toEqual({ prompt: 'a', duration: 5, model: 'x', speed: 'fast' });
});

test('an image is a path relative to the jobs file or a URL, under either field name', async () => {
  await writeFile(join(folder, 'here.png'), '');
  const jobs = await read('{"prompt":"a","image":"here.png"}\n{"prompt":"a","image_url":"https://example.com/a.png"}');
  expect(jobs.map(({ picture }) => picture)).toEqual([join(folder, 'here.png'), 'https://example.com/a.png']);
  expect(jobs.flatMap(({ fields }) => Object.keys(fields))).toEqual(['prompt', 'prompt']);
});

test('a file that is not a jobs file is rejected in a few lines', async () => {
  const lines = (await refusal('nonsense\n'.repeat(56))).split('\n');
  expect(lines).toHaveLength(12);
  expect(lines.at(-1)).toBe('  … and 46 more');
  expect(await refusal('\u0089PNG\r\n\0\0\n\0', 'photo.png')).toContain(
    'photo.png is not a jobs file: it is not text.',
  );
});
