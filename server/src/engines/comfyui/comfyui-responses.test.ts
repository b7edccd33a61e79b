import { describe, expect, test } from 'vitest';
import { OutputInvalid } from '../../errors.ts';
import { exchangesOf, runOf, runsOf } from './comfyui-recordings.fixture.ts';
import { parseJob, parseOutput, parseUpload, parseVersion } from './comfyui-responses.ts';

const id = '02899cf5-f40f-453a-8c71-23d462ab238e';

describe('a job as ComfyUI reports it', () => {
  test.each([
    ['a crash', 0, 'engine_crashed', /cannot identify image file/],
    ['memory that cannot be allocated', 1, 'engine_out_of_memory', /allocate memory/],
  ])('%s becomes a failure code and a short reason', (_name, index, code, reason) => {
    const run = runsOf('v0.33.0', '21_execution_error')[index];
    const { failure } = parseJob(run?.end, run?.promptId ?? '');
    expect(failure).toMatchObject({ state: 'failed', code, reason: expect.stringMatching(reason) });
    expect(failure?.reason.length).toBeLessThanOrEqual(200);
  });

  test('out of memory on a GPU has its own code', () => {
    const execution_error = { exception_type: 'torch.OutOfMemoryError', exception_message: 'Allocation on device ' };
    expect(parseJob({ id, status: 'failed', execution_error }, id).failure?.code).toBe('engine_out_of_memory');
  });

  test.each([
    ['v0.33.0', 'cancelled'],
    ['v0.7.0', 'failed'],
  ] as const)('an interrupted job counts as cancelled, although %s calls it %s', (version, status) => {
    const { end, promptId } = runOf(version, '43_wan_interrupt');
    expect(end?.['status']).toBe(status);
    expect(parseJob(end, promptId)).toMatchObject({ status: 'cancelled', failure: null });
  });

  test('a failure without a reason is still a failure', () => {
    expect(parseJob({ id, status: 'failed' }, id).failure).toMatchObject({ code: 'engine_crashed' });
  });

  test.each([
    ['nothing', null],
    ['a list', []],
    ['another job', { id: 'another', status: 'completed' }],
    ['an unknown status', { id, status: 'done' }],
    ['no status', { id }],
  ])('a response with %s throws', (_name, json) => {
    expect(() => parseJob(json, id)).toThrow(Error);
  });
});

describe('the output of a job', () => {
  const file = { filename: `${id}_00001_.mp4`, subfolder: 'kinora', type: 'output' };
  const parse = (output: unknown) => parseOutput({ 4: output }, ['4', '10'], `kinora/${id}`);

  test('is the one file that its node saved', () => {
    expect(parse({ images: [file], animated: [true] })).toEqual({ filename: file.filename, subfolder: 'kinora' });
  });

  test.each([
    ['no file', { images: [] }],
    ['two files', { images: [file, file] }],
    ['two files of two kinds', { images: [file], gifs: [file] }],
    ['a file of another job', { images: [{ ...file, filename: 'a86df7c1_00001_.mp4' }] }],
    ['a file elsewhere', { images: [{ ...file, subfolder: '../../etc' }] }],
    ['only a preview', { images: [{ ...file, type: 'temp' }] }],
    ['a file without a name', { images: [{ ...file, filename: 7 }] }],
    ['nonsense', 'images'],
    ['nothing', undefined],
  ])('is invalid when it is %s', (_name, output) => {
    expect(() => parse(output)).toThrow(OutputInvalid);
  });

  test('is invalid if the template does not name the node that saved it', () => {
    expect(() => parseOutput({ 5: { images: [file] } }, ['4'], `kinora/${id}`)).toThrow(OutputInvalid);
  });
});

describe('an uploaded image', () => {
  test('has the name that the server gave it', () => {
    const uploads = exchangesOf('v0.33.0', '04_i2v').filter(
      ({ path, status }) => path === '/upload/image' && status === 200,
    );
    expect(uploads.map(({ body }) => parseUpload(body))).toContain('tasks/ref-a5db0d95.png');
    expect(uploads.map(({ body }) => parseUpload(body))).toContain('ref-a5db0d95 (1).png');
  });

  test.each([
    [null],
    [{}],
    [{ name: '', subfolder: '' }],
    [{ name: 'a', subfolder: 7 }],
    [{ name: 'x'.repeat(256), subfolder: '' }],
  ])('throws if the response to the upload is %j', (json) => {
    expect(() => parseUpload(json)).toThrow(Error);
  });
});

test.each([[null], [{}], [{ system: null }], [{ system: { comfyui_version: 7 } }]])(
  '%j is not from a ComfyUI server',
  (json) => {
    expect(() => parseVersion(json)).toThrow(Error);
  },
);
