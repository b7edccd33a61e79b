import { expect, it } from 'vitest';
import { judgeMedia } from './judge-media.ts';
import type { Evidence, Observation } from './observation.ts';

const megabyte = 1024 * 1024;
const demand = { hostileFiles: 2, goodImages: 1 };
const refusal = (code: string, param = 'image_url', message = 'The image could not be decoded.') =>
  JSON.stringify({ error: { message, code, param }, request_id: 'req_1' });
const task = (width: number, height: number) => JSON.stringify({ task_id: 'task_1', image: { width, height } });

function kept(): Evidence & { observations: [Observation, Observation, Observation] } {
  return {
    observations: [
      {
        name: 'a bomb',
        sha256: 'a',
        way: 'inline',
        outcome: 'refused',
        status: 400,
        body: refusal('image_too_large'),
        seconds: 0.1,
      },
      { name: 'a flip', sha256: 'b', way: 'url', outcome: 'either', status: 200, body: task(480, 360), seconds: 4.9 },
      {
        name: 'a good one',
        sha256: 'c',
        way: 'url',
        outcome: { width: 300, height: 750 },
        status: 200,
        body: task(300, 750),
        seconds: 1,
      },
    ],
    decoders: [{ pid: 7, peakBytes: 300 * megabyte, isApart: true, interfaces: ['lo'] }],
    apiBytesBefore: 100 * megabyte,
    apiBytesAfter: 149 * megabyte,
    canaryPaths: [],
    unexpectedErrors: [],
  };
}

it('the promise is kept when every file was refused or normalised in time, and every good image taken', () => {
  const { figures, failures } = judgeMedia(kept(), demand);
  expect(failures).toEqual([]);
  expect(figures).toMatchObject({ hostileFiles: 2, goodImages: 1, refused: 1, normalised: 1, apiGrowthMegabytes: 49 });
});

const doctored: [name: string, doctor: (evidence: ReturnType<typeof kept>) => void, objection: RegExp][] = [
  [
    'a bomb that was accepted',
    ({ observations: [bomb] }) => Object.assign(bomb, { status: 200, body: task(480, 360) }),
    /a bomb.*accepted/,
  ],
  [
    'a flip that became too small',
    ({ observations: [, flip] }) => Object.assign(flip, { body: task(480, 100) }),
    /became 480x100/,
  ],
  ['a flip that became nothing', ({ observations: [, flip] }) => Object.assign(flip, { body: '{}' }), /became 0x0/],
  [
    'a crash',
    ({ observations: [bomb] }) => Object.assign(bomb, { status: 500, body: refusal('internal_error') }),
    /answered with 500/,
  ],
  [
    'a server that had too much',
    ({ observations: [bomb] }) => Object.assign(bomb, { status: 503 }),
    /answered with 503/,
  ],
  [
    'a refusal of another kind',
    ({ observations: [bomb] }) => Object.assign(bomb, { body: refusal('invalid_parameter') }),
    /refused with invalid_parameter/,
  ],
  [
    'a file that was never read',
    ({ observations: [bomb] }) => Object.assign(bomb, { body: refusal('image_unreachable') }),
    /refused with image_unreachable/,
  ],
  [
    'a refusal that names no parameter',
    ({ observations: [bomb] }) => Object.assign(bomb, { body: refusal('image_too_large', 'prompt') }),
    /does not name image_url/,
  ],
  [
    'an answer in the words of a decoder',
    ({ observations: [bomb] }) =>
      Object.assign(bomb, { body: refusal('image_undecodable', 'image_url', 'VipsJpeg: premature end') }),
    /says "Vips"/,
  ],
  [
    'an answer with a path',
    ({ observations: [bomb] }) =>
      Object.assign(bomb, { body: refusal('image_undecodable', 'image_url', 'see /tmp/x') }),
    /says "\/tmp"/,
  ],
  ['an answer after six seconds', ({ observations: [, flip] }) => Object.assign(flip, { seconds: 6 }), /took 6.00 s/],
  [
    'a good image that was refused',
    ({ observations: [, , good] }) => Object.assign(good, { status: 400, body: refusal('image_undecodable') }),
    /good image was refused/,
  ],
  [
    'a good image on its side',
    ({ observations: [, , good] }) => Object.assign(good, { body: task(750, 300) }),
    /became 750x300 instead/,
  ],
  [
    'the same file twice',
    ({ observations: [bomb, flip] }) => Object.assign(flip, { sha256: bomb.sha256 }),
    /only 1 hostile/,
  ],
  ['no good image', ({ observations }) => void observations.pop(), /only 0 good/],
  ['nothing by URL', ({ observations: [, flip] }) => Object.assign(flip, { way: 'inline' }), /by way of url/],
  [
    'a decoder with 513 MB',
    ({ decoders }) => void decoders.push({ pid: 8, peakBytes: 513 * megabyte, isApart: true, interfaces: ['lo'] }),
    /decoder 8 had 513 MB/,
  ],
  [
    'a decoder in the network',
    ({ decoders }) => void decoders.push({ pid: 8, peakBytes: 1, isApart: false, interfaces: ['lo'] }),
    /in the network of the API/,
  ],
  [
    'a decoder with an interface',
    ({ decoders }) => void decoders.push({ pid: 8, peakBytes: 1, isApart: true, interfaces: ['lo', 'eth0'] }),
    /had the network eth0/,
  ],
  ['no decoder at all', ({ decoders }) => void decoders.pop(), /no decoder/],
  ['memory that stays', (evidence) => Object.assign(evidence, { apiBytesAfter: 151 * megabyte }), /kept 51 MB/],
  ['somebody at the canary', ({ canaryPaths }) => void canaryPaths.push('/svg.png'), /asked for \/svg.png/],
  [
    'an error in the log',
    ({ unexpectedErrors }) => void unexpectedErrors.push('TypeError'),
    /nobody foresaw: TypeError/,
  ],
];

it.each(doctored)('%s breaks it', (_, doctor, objection) => {
  const evidence = kept();
  doctor(evidence);
  expect(judgeMedia(evidence, demand).failures.join('\n')).toMatch(objection);
});
